#!/usr/bin/env python3
"""A server of the Connect conformance suite that is reached through Outrigger.

    connect.py h2c|mtls REFERENCESERVER OUTRIGGER CERTIFICATES

The suite writes a request to stdin and reads from stdout where the server listens. This program starts the suite's
reference server, puts a sidecar before it, and answers with the address of the sidecar. With h2c, one sidecar forwards
the calls. With mtls, its --forward calls its own --serve with mutual TLS, which passes the calls to the server.
CERTIFICATES is the folder with the certificates of the demo.
"""
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

START_LIMIT_SECONDS = 60


def read_frame(stream):
    return stream.read(struct.unpack('>I', stream.read(4))[0])


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def port_of(response):
    """Returns field 2, the port, of a ServerCompatResponse."""
    at = 0
    while at < len(response):
        tag, at = varint(response, at)
        value, at = varint(response, at)
        if tag == 2 << 3:
            return value
        at += value  # the other fields are texts, which begin with their length
    raise SystemExit('the reference server did not say where it listens')


def response(port):
    """Returns a ServerCompatResponse for a port of loopback, as a frame."""
    host = b'127.0.0.1'
    number = bytearray()
    while port >= 0x80:
        number.append(port & 0x7F | 0x80)
        port >>= 7
    message = bytes([1 << 3 | 2, len(host)]) + host + bytes([2 << 3]) + number + bytes([port])
    return struct.pack('>I', len(message)) + message


def free_port():
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        return taken.getsockname()[1]


def any_of(kind, **fields):
    return {'@type': 'type.googleapis.com/envoy.' + kind, **fields}


def mtls_resources(served):
    """Returns the resources of a target that is reached by mutual TLS at port `served`, and of the address there."""
    router = {'name': 'router', 'typed_config': any_of('extensions.filters.http.router.v3.Router')}
    manager = 'extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'
    tls = {'tls_certificate_provider_instance': {'instance_name': 'default'}}
    roots = {'ca_certificate_provider_instance': {'instance_name': 'default'}}
    common = {**tls, 'validation_context': roots}
    place = {'address': '127.0.0.1', 'port_value': served}
    return [
        any_of('config.listener.v3.Listener', name='connect', api_listener={'api_listener': any_of(
            manager,
            route_config={'name': 'connect', 'virtual_hosts': [{'name': 'all', 'domains': ['*'], 'routes': [
                {'match': {'prefix': '/'}, 'route': {'cluster': 'server', 'timeout': '0s'}}]}]},
            http_filters=[router])}),
        any_of('config.cluster.v3.Cluster', name='server', type='EDS',
               eds_cluster_config={'eds_config': {'ads': {}}},
               transport_socket={'name': 'envoy.transport_sockets.tls', 'typed_config': any_of(
                   'extensions.transport_sockets.tls.v3.UpstreamTlsContext', common_tls_context=common)}),
        any_of('config.endpoint.v3.ClusterLoadAssignment', cluster_name='server', endpoints=[{
            'locality': {'region': 'here'}, 'load_balancing_weight': 1,
            'lb_endpoints': [{'endpoint': {'address': {'socket_address': place}}}]}]),
        any_of('config.listener.v3.Listener', name=f'served/127.0.0.1:{served}', address={'socket_address': place},
               filter_chains=[{'name': 'tls', 'transport_socket': {'name': 'envoy.transport_sockets.tls', 'typed_config': any_of(
                   'extensions.transport_sockets.tls.v3.DownstreamTlsContext',
                   require_client_certificate=True, common_tls_context=common)},
                   'filters': [{'name': 'http', 'typed_config': any_of(
                       manager,
                       route_config={'name': 'all', 'virtual_hosts': [{'name': 'all', 'domains': ['*'], 'routes': [
                           {'match': {'prefix': '/'}, 'non_forwarding_action': {}}]}]},
                       http_filters=[router])}]}]),
    ]


def arguments(mode, certificates, folder, port, server):
    """Returns the arguments of a sidecar that listens on `port` and reaches the reference server on port `server`."""
    if mode == 'h2c':
        return ['--forward', f'{port}=dns:///127.0.0.1:{server}']
    served = free_port()
    bootstrap, resources = os.path.join(folder, 'bootstrap.json'), os.path.join(folder, 'resources.json')
    identity = os.path.join(certificates, 'greeter.pem')
    with open(bootstrap, 'w', encoding='utf-8') as file:
        json.dump({
            'xds_servers': [{'server_uri': '127.0.0.1:1', 'channel_creds': [{'type': 'insecure'}]}],
            'certificate_providers': {'default': {'plugin_name': 'file_watcher', 'config': {
                'certificate_file': identity, 'private_key_file': identity,
                'ca_certificate_file': os.path.join(certificates, 'root.pem')}}},
            'server_listener_resource_name_template': 'served/%s'}, file)
    with open(resources, 'w', encoding='utf-8') as file:
        json.dump({'resources': mtls_resources(served)}, file)
    return ['--bootstrap', bootstrap, '--resources', resources, '--forward', f'{port}=xds:///connect',
            '--serve', f'127.0.0.1:{served}=127.0.0.1:{server}']


def get(admin, path):
    with urllib.request.urlopen(f'http://127.0.0.1:{admin}{path}', timeout=5) as reply:
        return reply.read().decode()


def await_ready(admin, process):
    """Waits for the configuration, and until the forward has reached the served address, which may open after it."""
    end = time.monotonic() + START_LIMIT_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            get(admin, '/ready')
            if not re.search('state="(CONNECTING|TRANSIENT_FAILURE)"', get(admin, '/metrics')):
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise SystemExit('the sidecar did not start')


def main():
    mode, reference, outrigger, certificates = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    request = read_frame(sys.stdin.buffer)
    children = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            server = subprocess.Popen([reference], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            children.append(server)
            server.stdin.write(struct.pack('>I', len(request)) + request)
            server.stdin.flush()
            port, admin = free_port(), free_port()
            command = [outrigger, 'run', '--log-level', 'error', '--admin', f'127.0.0.1:{admin}']
            command += arguments(mode, certificates, folder, port, port_of(read_frame(server.stdout)))
            sidecar = subprocess.Popen(command, stdout=sys.stderr)
            children.append(sidecar)
            await_ready(admin, sidecar)
            sys.stdout.buffer.write(response(port))
            sys.stdout.flush()
            sidecar.wait()
        finally:
            for child in reversed(children):
                child.terminate()
            for child in children:
                child.wait()


if __name__ == '__main__':
    main()
