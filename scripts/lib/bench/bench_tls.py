"""What scripts/bench tls measures: plain text from the load to the proxy, mutual TLS from there to the backend."""

import os
import sys
import time

import bench_peers
from bench_certificates import Tls
from bench_load import PATH, load, wait_until_served, write_request
from bench_measures import IDLE_SECONDS, SHAPES, Startup, Streaming, Unary, shape_title
from bench_process import Process, free_port

CONNECTIONS = 1000
LIMITS = {(1, 1): 0.30, (50, 1): 0.22, (10, 10): 0.15, (1, 100): 0.12}


class TlsUnary(Unary):
    """CPU per call."""

    peers = bench_peers.SECURED
    targets = [(shape_title(*shape), "cpu_us", "<=", limit) for shape, limit in LIMITS.items()]

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.tls = Tls(folder)

    def shapes(self):
        return super().shapes()[: len(SHAPES)]


class TlsStreaming(Streaming):
    """Bytes on one stream, each way."""

    peers = bench_peers.SECURED

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.tls = Tls(folder)
        self.targets = [(self.one + way, key, sign, limit) for way in ("download", "upload")
                        for key, sign, limit in (("mib_per_s", ">=", 1.0), ("cpu_s_per_gib", "<=", 0.8))]

    def warm(self, process, port):
        # Ciphers that are compiled late make the first gibibyte several times as dear.
        for _ in range(4):
            super().warm(process, port)

    def shapes(self):
        return super().shapes()[:2]


class Handshakes(Unary):
    """A backend that ends each connection with the first call on it, so that every call takes a full handshake."""

    peers = bench_peers.SECURED
    columns = [("handshake_ms", "CPU ms/handshake", "{:.2f}"), ("handshakes", "handshakes/s", "{:.0f}"),
               ("errors", "errors", "{:.0f}")]
    title = "a connection for each call"
    targets = [(title, "handshake_ms", "<=", 1.0)]
    rounds = (2, 5)
    ends = "ends"

    def __init__(self, options, folder, hosts=("127.0.0.1",)):
        super().__init__(options, folder)
        self.tls = Tls(folder, hosts)
        self.count = os.path.join(folder, "handshakes")

    def start_backend(self):
        write_request(self.folder)
        port = free_port()
        server = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bench_tls_server.py")
        tls = self.tls
        arguments = [tls.chain("server"), tls.key("server"), tls.chain("root"), self.count, self.ends, str(port), ",".join(tls.hosts)]
        return Process("backend", [sys.executable, "-B", server, *arguments], self.folder), port

    def warm(self, process, port):
        load(port, ["-n", "3000" if self.quick else "12000", "-c", "1", "-m", "1", "-d", self.request], PATH, 300)

    def shapes(self):
        return [(self.title, self.shake)]

    def shake(self, process, port):
        before = os.path.getsize(self.count)
        figures = self.plain(process, port, 1, 1)
        made = max(1, os.path.getsize(self.count) - before)
        cpu = figures["cpu_us"] * figures["rate"] * self.seconds
        return {"handshake_ms": cpu / made / 1000, "handshakes": made / self.seconds, "errors": figures["errors"]}


class Connections(Handshakes):
    """A fresh process that connects to a thousand endpoints: what that takes, and what it holds afterwards."""

    columns = [("connected_mib", "RSS MiB", "{:.1f}"), ("connect_ms", "CPU ms/conn", "{:.2f}"),
               ("first_ms", "first reply ms", "{:.0f}"), ("wall_ms", "all made ms", "{:.0f}"),
               ("connections", "connections", "{:.0f}"), ("errors", "errors", "{:.0f}")]
    title = f"{CONNECTIONS} endpoints, from the start of the process"
    targets = [(title, "connected_mib", "<=", 1.3)]
    rounds = (1, 3)
    fresh = True
    on_request = []
    ends = "stays"

    def __init__(self, options, folder):
        super().__init__(options, folder, [f"127.1.{i >> 8}.{i & 255}" for i in range(1, CONNECTIONS)] + ["127.0.0.1"])

    def shapes(self):
        return [(self.title, self.connect)]

    def connect(self, name, command, port):
        before = os.path.getsize(self.count)
        begun = time.monotonic()
        process = Process(name, command, self.folder)
        try:
            wrong = wait_until_served(process, port, self.folder, seconds=90)
            if wrong is not None:
                raise RuntimeError(f"{name} does not serve: {wrong}")
            first, errors = time.monotonic() - begun, 0
            while os.path.getsize(self.count) < before + CONNECTIONS:
                if time.monotonic() > begun + 120:
                    raise RuntimeError(f"{name} has {os.path.getsize(self.count) - before} connections after 120 s")
                errors += load(port, ["-n", "500", "-c", "1", "-m", "10", "-d", self.request], PATH, 60)["errors"]
            wall, cpu = time.monotonic() - begun, process.cpu_seconds()
            time.sleep(IDLE_SECONDS)
            made = os.path.getsize(self.count) - before
            return {"connected_mib": process.memory_mib(), "connect_ms": cpu / made * 1000, "first_ms": first * 1000,
                    "wall_ms": wall * 1000, "connections": made, "errors": errors}
        finally:
            process.stop()


class TlsStartup(Startup):
    """From the start of the process to the end of the first reply that came over TLS."""

    rounds = (3, 7)

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.files = True
        self.peers = bench_peers.SECURED
        self.targets = []
        self.tls = Tls(folder)


PARTS = [TlsUnary, TlsStreaming, Handshakes, Connections, TlsStartup]
