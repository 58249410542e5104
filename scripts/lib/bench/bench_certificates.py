"""Certificates for benchmarks over mutual TLS, and what each proxy must be told to use them."""

import json
import os
import shutil
import subprocess

import bench_peers

SERVER = "spiffe://mesh/orders"
CLIENT = "spiffe://mesh/shop"
TLS_CONTEXT = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
TLS_PARAMETERS = {"tls_minimum_protocol_version": "TLSv1_2", "tls_maximum_protocol_version": "TLSv1_3"}


class Tls:
    """A root, a server's certificate and a client's, keys on P-256, in a folder; and the addresses of the backends."""

    def __init__(self, folder, hosts=("127.0.0.1",)):
        if shutil.which("openssl") is None:
            raise RuntimeError("openssl is missing; apt-get install openssl")
        self.folder = folder
        self.hosts = hosts
        self.openssl(["req", "-x509", "-nodes", "-days", "30", "-subj", "/CN=root", *self.new_key("root"), "-out", self.chain("root")])
        self.issue("server", SERVER)
        self.issue("client", CLIENT)

    def chain(self, name):
        return os.path.join(self.folder, name + "-chain.pem")

    def key(self, name):
        return os.path.join(self.folder, name + "-key.pem")

    def new_key(self, name):
        return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", self.key(name)]

    def openssl(self, arguments):
        run = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError("openssl: " + run.stderr.strip())

    def issue(self, name, uri):
        request = os.path.join(self.folder, name + ".csr")
        alternatives = f"subjectAltName=URI:{uri},DNS:{name}.mesh,IP:127.0.0.1"
        self.openssl(["req", "-nodes", "-subj", f"/CN={name}", "-addext", alternatives, *self.new_key(name), "-out", request])
        self.openssl(["x509", "-req", "-in", request, "-CA", self.chain("root"), "-CAkey", self.key("root"), "-CAcreateserial",
                      "-copy_extensions", "copy", "-days", "30", "-out", self.chain(name)])

    def for_outrigger(self):
        """What to add to a cluster."""
        instance = {"instance_name": "default"}
        return self.socket({
            "tls_certificate_provider_instance": instance,
            "validation_context": {"ca_certificate_provider_instance": instance, **self.accepted()},
        })

    def bootstrap(self, name="client"):
        """The path of a bootstrap for Outrigger with the certificate of that name, whose resources come from elsewhere."""
        files = {"certificate_file": self.chain(name), "private_key_file": self.key(name),
                 "ca_certificate_file": self.chain("root")}
        return bench_peers.write(self.folder, name + "-bootstrap.json", json.dumps({
            "xds_servers": [{"server_uri": "127.0.0.1:1", "channel_creds": [{"type": "insecure"}]}],
            "node": {"id": "bench"},
            "certificate_providers": {"default": {"plugin_name": "file_watcher", "config": files}},
        }, indent=1))

    def for_envoy(self):
        """What to add to a cluster: TLS 1.3 too, which is not Envoy's default for clients, and no session is resumed."""
        own = {"certificate_chain": {"filename": self.chain("client")}, "private_key": {"filename": self.key("client")}}
        return self.socket({
            "alpn_protocols": ["h2"],
            "tls_params": TLS_PARAMETERS,
            "tls_certificates": [own],
            "validation_context": {"trusted_ca": {"filename": self.chain("root")}, **self.accepted()},
        }, max_session_keys=0)

    def accepted(self):
        return {"match_typed_subject_alt_names": [{"san_type": "URI", "matcher": {"exact": SERVER}}]}

    def socket(self, common, **more):
        context = {"@type": TLS_CONTEXT, "common_tls_context": common, **more}
        return {"transport_socket": {"name": "envoy.transport_sockets.tls", "typed_config": context}}
