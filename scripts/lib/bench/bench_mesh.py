"""Peers that begin with nothing but a bootstrap, and the control plane that they all have in common.

Outrigger and a proxyless gRPC client ask it for the listener "orders" by name; Envoy, which names none, gets one with a
port. Routes, clusters and endpoints are the same messages for all.
"""

import json
import os
import time

import bench_client
import bench_peers
from bench_load import BODY, BODY_BYTES, PATH, bodiless, load
from bench_process import Conversation, Process, free_port

PROXYLESS = "grpc-java"
PEERS = ["outrigger", "envoy", PROXYLESS]
NODE = "bench"
CONFIG = "type.googleapis.com/envoy.config."
ADS = {"ads": {}, "resource_api_version": "V3"}
RDS = {"rds": {"route_config_name": "orders", "config_source": ADS}}
START_SECONDS = 60
ACK_SECONDS = 120
CALLS_SECONDS = 120


def listener(**more):
    return {"@type": CONFIG + "listener.v3.Listener", **more}


def client_listener():
    """What proxyless clients ask for."""
    return listener(name="orders", api_listener={"api_listener": bench_peers.connection_manager(RDS)})


def socket_listener(port):
    """Envoy's."""
    manager = bench_peers.connection_manager({**RDS, "codec_type": "HTTP2", "generate_request_id": False})
    address = {"socket_address": {"address": "127.0.0.1", "port_value": port}}
    return listener(name="in", address=address, filter_chains=[{"filters": [{"name": "http", "typed_config": manager}]}])


def route_configuration(routes):
    return {"@type": CONFIG + "route.v3.RouteConfiguration", **routes}


def cluster(name, **more):
    """One whose endpoints come by EDS."""
    return {"@type": CONFIG + "cluster.v3.Cluster", "name": name, "type": "EDS", "eds_cluster_config": {"eds_config": ADS},
            "typed_extension_protocol_options": bench_peers.HTTP2, **more}


def assignment(endpoints):
    return {"@type": CONFIG + "endpoint.v3.ClusterLoadAssignment", **endpoints}


def orders(backend):
    """The resources of scripts/bench unary, in parts."""
    yield client_listener()
    yield route_configuration(bench_peers.routes())
    for name in bench_peers.CLUSTERS:
        yield cluster(name, circuit_breakers=bench_peers.limits())
        yield assignment(bench_peers.endpoints(name, backend, None))


def java(root, options, main, *arguments):
    """The command of a program among the tests of the proxy, which scripts/bench has compiled."""
    target = os.path.join(root, "proxy/target")
    with open(os.path.join(target, "test-classpath"), encoding="utf-8") as file:
        classpath = ":".join([os.path.join(target, "test-classes"), os.path.join(target, "classes"), file.read().strip()])
    return [os.path.join(os.environ["JAVA_HOME"], "bin/java"), *options, "-cp", classpath, "io.outrigger.bench.mesh." + main, *arguments]


class Mesh(Conversation):
    """The control plane with some resources."""

    def __init__(self, root, folder, resources):
        self.root = root
        self.folder = folder
        path = os.path.join(folder, "resources.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for resource in resources:
                file.write(json.dumps(resource) + "\n")
        super().__init__("control-plane", java(root, ["-XX:+UseSerialGC", "-Xmx3g"], "ControlPlaneMain", path), folder)
        self.version = 1
        self.port = None

    def is_ready(self):
        """Waits for its port."""
        self.port = int(self.hear(START_SECONDS).split()[1])

    def change(self, resource, alone=False):
        """Serves a resource in place of the one of its name; alone, without the others of its type."""
        self.version += 1
        self.say(("alone " if alone else "whole ") + json.dumps(resource))

    def acknowledged(self):
        """Waits until a client has taken the last change."""
        heard = ""
        while heard != f"acked {self.version}":
            heard = self.hear(ACK_SECONDS)
            if heard.startswith("nacked"):
                raise RuntimeError("the control plane was refused: " + heard)

    def command(self, name, port):
        """How a peer is started that listens on the port, if it listens."""
        if name == "envoy":
            self.change(socket_listener(port))
            return bench_peers.run_envoy(self.folder, self.envoy_bootstrap())
        bootstrap = bench_peers.write(self.folder, "bootstrap.json", json.dumps({
            "xds_servers": [{"server_uri": f"127.0.0.1:{self.port}", "channel_creds": [{"type": "insecure"}]}],
            "node": {"id": NODE},
        }, indent=1))
        if name == PROXYLESS:
            program = java(self.root, [], "ProxylessMain", "xds:///orders", PATH[1:])
            return ["env", "GRPC_XDS_BOOTSTRAP=" + bootstrap, *program]
        return bench_peers.run_outrigger(self.root, port, "--bootstrap", bootstrap)

    def envoy_bootstrap(self):
        address = {"socket_address": {"address": "127.0.0.1", "port_value": self.port}}
        return {
            "node": {"id": NODE, "cluster": NODE},
            "admin": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": free_port()}}},
            "dynamic_resources": {
                "lds_config": ADS,
                "cds_config": ADS,
                "ads_config": {"api_type": "GRPC", "transport_api_version": "V3",
                               "grpc_services": [{"envoy_grpc": {"cluster_name": "control-plane"}}]},
            },
            "static_resources": {"clusters": [{
                "name": "control-plane",
                "type": "STATIC",
                "load_assignment": {"cluster_name": "control-plane", "endpoints": [{"lb_endpoints": [{"endpoint": {"address": address}}]}]},
                "typed_extension_protocol_options": bench_peers.HTTP2,
            }]},
        }


class Sidecar(Process):
    """A proxy, and the calls that come to its port."""

    def __init__(self, name, command, folder, port):
        super().__init__(name, command, folder)
        self.folder = folder
        self.port = port

    def until_answered(self, seconds):
        """Seconds from its start to the end of the first reply, asked for every 2 ms."""
        while time.monotonic() < self.begun + seconds and self.popen.poll() is None:
            if self.call(seconds):
                return time.monotonic() - self.begun
            time.sleep(0.002)
        raise RuntimeError(f"{self.name} does not serve: {self.last_words()}")

    def call(self, seconds=10):
        """Whether a call on a connection of its own is answered as it should be."""
        try:
            return bench_client.first_reply(self.port, PATH.encode(), BODY, BODY_BYTES, seconds)
        except OSError:
            return False

    def calls(self, count, connections):
        """How many of so many calls fail."""
        request = os.path.join(self.folder, "request")
        done = load(self.port, ["-n", str(count), "-c", str(connections), "-m", "1", "-t", "1", "-d", request], PATH, CALLS_SECONDS)
        return max(done["errors"], bodiless(done))


class Proxyless(Conversation):
    """A client that makes its calls itself."""

    def until_answered(self, seconds):
        """Seconds from its start to its first answer."""
        if self.hear(seconds) != "answered":
            raise RuntimeError(f"{self.name} is not understood")
        return time.monotonic() - self.begun

    def call(self):
        return self.calls(1, 1) == 0

    def calls(self, count, at_once):
        self.say(f"calls {count} {at_once}")
        return int(self.hear(CALLS_SECONDS).split()[1])


def start(name, command, folder, port):
    return Proxyless(name, command, folder) if name == PROXYLESS else Sidecar(name, command, folder, port)
