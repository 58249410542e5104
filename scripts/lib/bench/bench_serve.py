"""What scripts/bench serve measures: callers with certificates over TLS to the proxy, RBAC there, plain text to the app.

Outrigger has a port of --serve, Envoy a listener; both get one and the same filter chain, but for where the certificates
come from. The load is CallersMain, since h2load has no client certificates. Handshakes and steady rates come from Python.
"""

import json
import os
import select
import ssl
import time

import bench_peers
from bench_certificates import CLIENT, TLS_PARAMETERS, Tls
from bench_client import (DATA, GOAWAY, HEADERS, END_HEADERS, END_STREAM, OPENING, RST_STREAM, TracedConnection, first_reply, frame,
                          head, idle_connections, receive)
from bench_load import BODY, BODY_BYTES, PATH, wait_until_served
from bench_measures import IDLE_SECONDS, Benchmark, shape_title
from bench_mesh import START_SECONDS, java
from bench_process import Conversation, Process, free_port

DOWNSTREAM = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext"
RBAC = "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC"
POLICIES = 20
LIMITS = {(50, 1): 0.25, (10, 10): 0.15, (1, 100): 0.12}
WARMING = {(10, 10): 60_000, (50, 1): 20_000, (1, 100): 40_000}
IDLE = 1000
RATE, RATE_CONNECTIONS = 1000, 10
DRAIN_SECONDS = 1


def policies(extra):
    """Twenty, of which the last admits the caller; one more for each change."""
    def policy(path, name):
        return {"permissions": [{"url_path": {"path": {"prefix": path}}}],
                "principals": [{"authenticated": {"principal_name": {"exact": name}}}]}

    missed = {f"p{i:02}": policy(f"/service{i}.Service/", f"spiffe://mesh/caller{i}") for i in range(POLICIES - 1 + extra)}
    return {**missed, "q": policy("/orders.Orders/", CLIENT)}


def chain(tls, action, extra):
    """The filter chain: TLS, RBAC, one route with this action."""
    manager = bench_peers.connection_manager({
        "codec_type": "HTTP2",
        "generate_request_id": False,
        "route_config": {"name": "in", "virtual_hosts": [{"name": "in", "domains": ["*"], "routes": [{"match": {"prefix": "/"}, **action}]}]},
    })
    rbac = {"name": "rbac", "typed_config": {"@type": RBAC, "rules": {"action": "ALLOW", "policies": policies(extra)}}}
    manager["http_filters"].insert(0, rbac)
    socket = {"name": "envoy.transport_sockets.tls", "typed_config": {"@type": DOWNSTREAM, "require_client_certificate": True, **tls}}
    return {"name": "in", "transport_socket": socket, "filters": [{"name": "http", "typed_config": manager}]}


def listener(port, filter_chain):
    return {"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": f"inbound/127.0.0.1:{port}",
            "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}, "filter_chains": [filter_chain]}


class Serve(Benchmark):
    """CPU per call."""

    peers = bench_peers.SECURED
    columns = [("cpu_us", "CPU us/req", "{:.1f}"), ("rate", "req/s", "{:.0f}"), ("memory_mib", "RSS MiB", "{:.0f}"),
               ("errors", "errors", "{:.0f}")]
    targets = [(shape_title(*shape), "cpu_us", "<=", limit) for shape, limit in LIMITS.items()]
    rounds = (3, 5)

    def __init__(self, options, folder):
        super().__init__(folder)
        self.quick = options.quick
        self.seconds = options.seconds or (2 if options.quick else 5)
        self.callers = Tls(folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname = False
        self.context.load_verify_locations(self.callers.chain("root"))
        self.context.load_cert_chain(self.callers.chain("client"), self.callers.key("client"))
        self.context.set_alpn_protocols(["h2"])
        self.changes = 0
        self.load = None

    def start_mesh(self, root, backend):
        files = self.callers.chain("client"), self.callers.key("client"), self.callers.chain("root")
        self.load = Conversation("callers", java(root, ["-XX:+UseSerialGC"], "CallersMain", *files, OPENING.hex(),
                                                 head(PATH.encode()).hex(), BODY.hex()), self.folder)
        return [self.load]

    def command(self, name, root, port, backend):
        if name == "envoy":
            return bench_peers.run_envoy(self.folder, self.envoy(port, backend), "--drain-time-s", str(DRAIN_SECONDS))
        if name == bench_peers.NETTY:
            return bench_peers.netty(self.folder, root, port, backend, "serve", self.callers.folder)
        launcher = os.path.join(root, "proxy/target/outrigger/bin/outrigger")
        self.write(name, port)
        return [launcher, "run", "--resources", self.path(name, port), "--bootstrap", self.callers.bootstrap("server"),
                "--serve", f"127.0.0.1:{port}=127.0.0.1:{backend}", "--serve-drain-spread", f"{DRAIN_SECONDS}s",
                "--serve-drain-grace", "60s", "--admin", f"127.0.0.1:{free_port()}", "--threads", "1"]

    def path(self, name, port):
        return os.path.join(self.folder, f"{'envoy' if name == 'envoy' else 'outrigger'}-{port}.json")

    def write(self, name, port):
        """Writes the listener of a proxy, at once as a whole; a proxy that runs takes it."""
        if name == "envoy":
            files = {"certificate_chain": {"filename": self.callers.chain("server")},
                     "private_key": {"filename": self.callers.key("server")}}
            common = {"alpn_protocols": ["h2"], "tls_params": TLS_PARAMETERS, "tls_certificates": [files],
                      "validation_context": {"trusted_ca": {"filename": self.callers.chain("root")}}}
            tls = {"common_tls_context": common, "disable_stateless_session_resumption": True,
                   "disable_stateful_session_resumption": True}
            action = {"route": {"cluster": "app", "timeout": "0s"}}
        else:
            instance = {"instance_name": "default"}
            tls = {"common_tls_context": {"tls_certificate_provider_instance": instance,
                                          "validation_context": {"ca_certificate_provider_instance": instance}}}
            action = {"non_forwarding_action": {}}
        resources = [listener(port, chain(tls, action, self.changes % 2))]
        path = self.path(name, port)
        bench_peers.write(self.folder, "new", json.dumps({"version_info": str(self.changes), "resources": resources}
                                                         if name == "envoy" else {"resources": resources}, indent=1))
        os.replace(os.path.join(self.folder, "new"), path)

    def envoy(self, port, backend):
        self.write("envoy", port)
        app = {"socket_address": {"address": "127.0.0.1", "port_value": backend}}
        return {
            "node": {"id": "bench", "cluster": "bench"},
            "admin": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": free_port()}}},
            "dynamic_resources": {"lds_config": {"path_config_source": {"path": self.path("envoy", port)}, "resource_api_version": "V3"}},
            "static_resources": {"clusters": [{
                "name": "app",
                "type": "STATIC",
                "load_assignment": {"cluster_name": "app", "endpoints": [{"lb_endpoints": [{"endpoint": {"address": app}}]}]},
                "circuit_breakers": bench_peers.limits(),
                "typed_extension_protocol_options": bench_peers.HTTP2,
            }]},
        }

    def warm(self, process, port):
        # By requests, not by time, as in unary: else a JVM would be measured while it compiles.
        for (connections, streams), count in WARMING.items():
            done = 0
            while done < count * (1 if self.quick else 3):
                done += self.calls(process, port, connections, streams, 2)["rate"] * 2

    def shapes(self):
        return [(shape_title(c, s), lambda p, port, c=c, s=s: self.calls(p, port, c, s, self.seconds)) for c, s in LIMITS]

    def calls(self, process, port, connections, streams, seconds):
        """Calls in a closed loop, without the handshakes before them."""
        self.load.say(f"calls {port} {connections} {streams} {seconds}")
        if self.load.hear(START_SECONDS) != "connected":
            raise RuntimeError("the load is not understood")
        before = process.cpu_seconds()
        done, failed, reply_bytes = map(int, self.load.hear(seconds + START_SECONDS).split()[1:])
        return {"cpu_us": (process.cpu_seconds() - before) / max(1, done) * 1e6, "rate": done / seconds,
                "memory_mib": process.memory_mib(), "errors": failed + done - reply_bytes // BODY_BYTES}


class ServedHandshakes(Serve):
    """A connection with a full handshake for each call."""

    columns = [("handshake_ms", "CPU ms/handshake", "{:.2f}"), ("handshakes", "handshakes/s", "{:.0f}"),
               ("errors", "errors", "{:.0f}")]
    title = "a connection of a caller for each call"
    targets = [(title, "handshake_ms", "<=", 1.5)]
    rounds = (3, 5)

    def warm(self, process, port):
        made = 0
        while made < (2000 if self.quick else 8000):
            made += self.shake(process, port, 1)["handshakes"]

    def shapes(self):
        return [(self.title, lambda p, port: self.shake(p, port, self.seconds))]

    def shake(self, process, port, seconds):
        before, until, made, errors = process.cpu_seconds(), time.monotonic() + seconds, 0, 0
        while time.monotonic() < until:
            errors += not first_reply(port, PATH.encode(), BODY, BODY_BYTES, tls=self.context)
            made += 1
        cpu = process.cpu_seconds() - before
        return {"handshake_ms": cpu / made * 1000, "handshakes": made / seconds, "errors": errors}


class IdleCallers(Serve):
    """A fresh process with a thousand callers that do nothing."""

    columns = [("idle_mib", "before MiB", "{:.1f}"), ("connected_mib", "with them MiB", "{:.1f}"), ("errors", "errors", "{:.0f}")]
    title = f"{IDLE} idle callers"
    targets = [(title, "connected_mib", "<=", 1.3)]
    rounds = (1, 3)
    fresh = True
    on_request = []

    def shapes(self):
        return [(self.title, self.remember)]

    def remember(self, name, command, port):
        process = Process(name, command, self.folder)
        connections = []
        try:
            wrong = wait_until_served(process, port, self.folder, self.callers)
            if wrong is not None:
                raise RuntimeError(f"{name} does not serve: {wrong}")
            before = process.memory_mib()
            connections = idle_connections(port, IDLE, self.context)
            time.sleep(IDLE_SECONDS)
            return {"idle_mib": before, "connected_mib": process.memory_mib(), "errors": 0}
        finally:
            for connection in connections:
                connection.close()
            process.stop()


class Change(Serve):
    """Another listener while calls come at a steady rate: old connections are asked to go, and no call may fail."""

    columns = [("errors", "failed", "{:.0f}"), ("p99_ms", "p99 ms", "{:.1f}"), ("rate", "req/s", "{:.0f}"),
               ("connections", "connections", "{:.0f}")]
    title = f"a change of the listener under {RATE} calls/s"
    on_request = []
    targets = []
    limits = [(title, "errors", 0)]
    rounds = (1, 3)

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.seconds = options.seconds or (8 if options.quick else 15)

    def shapes(self):
        return [(self.title, self.change)]

    def change(self, process, port):
        load = PacedCalls(lambda: PacedCaller(port, self.context))

        def change_listener():
            self.changes += 1
            self.write(process.name, port)

        load.run(self.seconds, change_listener)
        load.close()
        latencies = sorted(load.latencies)
        return {"errors": load.failed, "p99_ms": latencies[len(latencies) * 99 // 100] * 1000, "rate": len(latencies) / self.seconds,
                "connections": load.connected}


class PacedCaller(TracedConnection):
    """A connection of a caller with a certificate, whose calls have the same head and begin when they are due."""

    def __init__(self, port, context):
        super().__init__(port, PATH.encode(), BODY, 0, context)
        self.begun = {}
        self.received = {}
        self.leaving = self.ended = False

    def call(self, due):
        self.begun[self.next] = due
        self.socket.sendall(frame(HEADERS, END_HEADERS, self.next, self.fixed) + frame(DATA, END_STREAM, self.next, self.body))
        self.next += 2

    def ends(self):
        """What has come: (due, whether the answer is whole) of each call that is over."""
        data, over = receive(self.socket), []
        self.ended = not data
        for kind, flags, stream, length in self.frames.feed(data):
            if kind == GOAWAY:
                self.leaving = True
            if kind == DATA:
                self.received[stream] = self.received.get(stream, 0) + length
            if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
                over.append((self.begun.pop(stream), self.received.pop(stream, 0) == BODY_BYTES))
        return over


class PacedCalls:
    """Calls at a steady rate over some connections, of which those that are asked to go are replaced."""

    def __init__(self, connect):
        self.connect = connect
        self.poll = select.epoll()
        self.by_descriptor = {}
        self.latencies = []
        self.failed = self.connected = 0
        self.active = [self.another() for _ in range(RATE_CONNECTIONS)]

    def another(self):
        connection = self.connect()
        self.connected += 1
        self.by_descriptor[connection.socket.fileno()] = connection
        self.poll.register(connection.socket.fileno(), select.EPOLLIN)
        return connection

    def run(self, seconds, change):
        """Makes the change after a third of the time."""
        begun, calls, changed = time.monotonic(), 0, False
        while calls < RATE * seconds:
            now = time.monotonic()
            if not changed and now > begun + seconds / 3:
                changed = True
                change()
            while calls < RATE * seconds and begun + calls / RATE <= now:
                self.call(calls % RATE_CONNECTIONS, begun + calls / RATE)
                calls += 1
            self.hear(0.001)
        until = time.monotonic() + 5
        while time.monotonic() < until and any(each.begun for each in self.by_descriptor.values()):
            self.hear(0.01)

    def call(self, place, due):
        if self.active[place].leaving or self.active[place].ended:
            self.active[place] = self.another()
        try:
            self.active[place].call(due)
        except OSError:
            self.active[place].ended = True  # its calls have failed, this one among them

    def hear(self, seconds):
        for descriptor, _ in self.poll.poll(seconds):
            connection = self.by_descriptor[descriptor]
            try:
                over = connection.ends()
            except OSError:
                over, connection.ended = [], True
            for due, whole in over:
                self.latencies.append(time.monotonic() - due)
                self.failed += not whole
            if connection.ended:
                self.poll.unregister(descriptor)
                del self.by_descriptor[descriptor]
                self.failed += len(connection.begun)
                connection.begun.clear()
                connection.socket.close()

    def close(self):
        self.failed += sum(len(each.begun) for each in self.by_descriptor.values())
        for connection in self.by_descriptor.values():
            connection.socket.close()
        self.poll.close()


PARTS = [Serve, ServedHandshakes, IdleCallers, Change]
