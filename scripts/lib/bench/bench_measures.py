"""What is measured: each benchmark is a list of shapes, each shape a function from a proxy to its figures.

A shape is given a proxy that was started for this round and is warm; one of fresh ones starts it itself.
"""

import os
import time

import bench_client
import bench_mesh
import bench_peers
from bench_load import (BODY, BODY_BYTES, BULK, GIB, MANY, PATH, STREAMS, bodiless, load, percentiles, start_backend)
from bench_process import Growth

SHAPES = [(1, 1), (50, 1), (10, 10), (1, 100)]
TRACED = "10 connections x 10 streams, unique trace headers"
RATE, RATE_CONNECTIONS = 2000, 10
TRACED_CALLS = 10_000
WARMING = 6  # times what a quick run makes of each shape: after 800,000 calls little is left to compile
IDLE_CONNECTIONS = 10_000
CALLS, CALLERS = 100_000, 50
IDLE_SECONDS = 12  # what the start alone needed has gone back to the system: JVMs look for it every 5 s


def shape_title(connections, streams):
    return f"{connections} connections x {streams} streams"


class Benchmark:
    """What all have in common: proxies that are warm, and a backend with small answers in plain text."""

    peers = list(bench_peers.COMMANDS)
    on_request = [bench_peers.NETTY]  # peers that only --only names
    fresh = False
    targets = []
    limits = []
    notes = ""
    tls = None  # certificates of the backend
    callers = None  # those that a proxy demands of its callers
    mesh = None
    bulk_bytes = 0

    def __init__(self, folder):
        self.folder = folder

    def start_backend(self):
        """The backend's process and its port."""
        return start_backend(self.folder, self.bulk_bytes, self.tls)

    def start_mesh(self, root, backend):
        """What else is to run for those that start from a bootstrap: processes that can be stopped."""
        return []

    def command(self, name, root, port, backend):
        """How a proxy is started that listens on a port and forwards to the backend's."""
        if self.mesh is not None and name in bench_mesh.PEERS:
            return self.mesh.command(name, port)
        return bench_peers.command(name, self.folder, root, port, backend, self.tls)


class Unary(Benchmark):
    """CPU per call, in a closed loop."""

    columns = [("cpu_us", "CPU us/req", "{:.1f}"), ("rate", "req/s", "{:.0f}"), ("p50_ms", "p50 ms", "{:.2f}"),
               ("p99_ms", "p99 ms", "{:.2f}"), ("memory_mib", "RSS MiB", "{:.0f}"), ("errors", "errors", "{:.0f}")]
    targets = [(shape_title(1, 100), "cpu_us", "<=", 0.10), (shape_title(10, 10), "cpu_us", "<=", 0.12),
               (shape_title(50, 1), "cpu_us", "<=", 0.20), (shape_title(1, 1), "cpu_us", "<=", 0.28),
               (TRACED, "cpu_us", "<=", 0.14)]
    rounds = (3, 5)

    def __init__(self, options, folder):
        super().__init__(folder)
        self.quick = options.quick
        self.seconds = options.seconds or (1.2 if options.quick else 3)
        self.request = os.path.join(folder, "request")

    def warm(self, process, port):
        # By requests, not by time: on a busy machine a JVM would else be measured while it compiles.
        # Each shape has paths of its own, and until they are compiled that costs more than the calls.
        for requests, connections, streams in ((60_000, 10, 10), (20_000, 50, 1), (40_000, 1, 100), (10_000, 1, 1)):
            total = requests if self.quick else WARMING * requests
            arguments = ["-n", str(total), "-c", str(connections), "-m", str(streams), "-t", "1"]
            load(port, [*arguments, "-d", self.request], PATH, 120)
        traced = 0
        while traced < (TRACED_CALLS if self.quick else WARMING * TRACED_CALLS):
            traced += bench_client.traced_load(port, PATH.encode(), BODY, 10, 10, 1, BODY_BYTES)[0]

    def shapes(self):
        shapes = [(shape_title(c, s), lambda p, port, c=c, s=s: self.plain(p, port, c, s)) for c, s in SHAPES]
        return [*shapes, (TRACED, self.traced)]

    def plain(self, process, port, connections, streams, extra=()):
        log = os.path.join(self.folder, "h2load.log")
        if os.path.exists(log):
            os.remove(log)
        before = process.cpu_seconds()
        done = load(
            port,
            ["-D", f"{self.seconds * 1000:.0f}ms", "-c", str(connections), "-m", str(streams), "-t", "1", "-d", self.request,
             "--log-file=" + log, *extra],
            PATH,
            self.seconds + 30,
        )
        cpu = process.cpu_seconds() - before
        p50, p99 = percentiles(log)
        return self.figures(process, cpu, done["done"], p50, p99, max(done["errors"], bodiless(done)))

    def traced(self, process, port):
        before = process.cpu_seconds()
        done, errors = bench_client.traced_load(port, PATH.encode(), BODY, 10, 10, self.seconds, BODY_BYTES)
        return self.figures(process, process.cpu_seconds() - before, done, 0, 0, errors)

    def figures(self, process, cpu, done, p50, p99, errors):
        return {"cpu_us": cpu / max(1, done) * 1e6, "rate": done / self.seconds, "p50_ms": p50, "p99_ms": p99,
                "memory_mib": process.memory_mib(), "errors": errors}


class Latency(Unary):
    """How long calls take at a rate that leaves every proxy idle most of the time."""

    columns = [("p50_ms", "p50 ms", "{:.2f}"), ("p99_ms", "p99 ms", "{:.2f}"), ("rate", "req/s", "{:.0f}"),
               ("cpu_us", "CPU us/req", "{:.1f}"), ("errors", "errors", "{:.0f}")]
    title = f"{RATE} requests/s over {RATE_CONNECTIONS} connections"
    targets = [(title, "p50_ms", "<=", 0.45), (title, "p99_ms", "<=", 1.0)]

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.seconds = options.seconds or (2 if options.quick else 5)

    def shapes(self):
        rate = ["--rps", str(RATE // RATE_CONNECTIONS)]
        return [(self.title, lambda p, port: self.plain(p, port, RATE_CONNECTIONS, 10, rate))]


class Streaming(Benchmark):
    """Bytes: one stream of a gibibyte, and 64 streams that share one, each way."""

    columns = [("cpu_s_per_gib", "CPU s/GiB", "{:.2f}"), ("mib_per_s", "MiB/s", "{:.0f}"),
               ("peak_mib", "peak RSS MiB", "{:.0f}"), ("memory_growth_mib", "grown by MiB", "{:+.1f}"),
               ("errors", "errors", "{:.0f}")]
    rounds = (1, 3)

    def __init__(self, options, folder):
        super().__init__(folder)
        self.size = self.bulk_bytes = GIB // 4 if options.quick else GIB
        self.one = f"{self.size / GIB:g} GiB on one stream, "
        self.many = f"{STREAMS} streams of {self.size // STREAMS >> 20} MiB, "
        self.targets = [(self.one + way, key, sign, limit) for way in ("download", "upload")
                        for key, sign, limit in (("mib_per_s", ">=", 1.1), ("cpu_s_per_gib", "<=", 0.75))]
        self.targets += [(self.many + way, "mib_per_s", ">=", 1.3) for way in ("download", "upload")]

    def warm(self, process, port):
        for _, measure in self.shapes():
            measure(process, port)

    def shapes(self):
        return [(title + way, lambda p, port, n=n, way=way: self.transfer(p, port, n, way))
                for title, n in ((self.one, 1), (self.many, STREAMS)) for way in ("download", "upload")]

    def transfer(self, process, port, streams, way):
        arguments = ["-n", str(streams), "-c", "1", "-m", str(streams), "-w", "24", "-W", "24"]
        path = BULK if streams == 1 else MANY
        if way == "upload":
            arguments += ["-d", os.path.join(self.folder, "bulk" if streams == 1 else "page")]
            path = PATH
        before = process.cpu_seconds()
        with Growth(process) as growth:
            done = load(port, arguments, path, 300)
        cpu = process.cpu_seconds() - before
        wanted = self.size if way == "download" else BODY_BYTES * streams
        return {
            "cpu_s_per_gib": cpu / (self.size / GIB),
            "mib_per_s": self.size / (1 << 20) / done["seconds"],
            "peak_mib": growth.peak,
            "memory_growth_mib": growth.mib(),
            "errors": max(done["errors"], int(done["done"] != streams), int(done["body_bytes"] != wanted)),
        }


class Fresh(Unary):
    """Processes whose start belongs to the measurement, from a bootstrap; where files are asked for, from those."""

    fresh = True
    on_request = []

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.files = options.files
        if not self.files:
            self.peers = [*bench_peers.COMMANDS, bench_mesh.PROXYLESS]

    def start_mesh(self, root, backend):
        if self.files:
            return []
        self.mesh = bench_mesh.Mesh(root, self.folder, bench_mesh.orders(backend))
        return [self.mesh]


class Startup(Fresh):
    """From the start of the process to the end of the first reply, asked for every 2 ms."""

    columns = [("wall_ms", "wall ms", "{:.0f}"), ("cpu_ms", "CPU ms", "{:.0f}"), ("errors", "errors", "{:.0f}")]
    title = "start to first reply"
    rounds = (5, 11)

    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.targets = [(self.title, "wall_ms", "<=", 4.0 if self.files else 3.0)]

    def shapes(self):
        return [(self.title, self.start)]

    def start(self, name, command, port):
        process = bench_mesh.start(name, command, self.folder, port)
        try:
            wall = process.until_answered(30)
            return {"wall_ms": wall * 1000, "cpu_ms": process.cpu_seconds(ended=True) * 1000, "errors": 0}
        finally:
            process.stop()


class Memory(Fresh):
    """Resident memory of a process that has answered once, that has worked, and that holds idle connections."""

    columns = [("idle_mib", "idle MiB", "{:.1f}"), ("loaded_mib", "after load MiB", "{:.1f}"),
               ("connections_mib", "10k conns MiB", "{:.0f}"), ("errors", "errors", "{:.0f}")]
    title = f"resident memory: idle, after load, with {IDLE_CONNECTIONS} idle connections"
    limits = [(title, "connections_mib", 400)]
    rounds = (1, 3)

    def __init__(self, options, folder):
        super().__init__(options, folder)
        idle, loaded = (1.2, 1.4) if self.files else (1.15, 1.3)
        self.targets = [(self.title, "idle_mib", "<=", idle), (self.title, "loaded_mib", "<=", loaded)]

    def shapes(self):
        return [(self.title, self.remember)]

    def remember(self, name, command, port):
        process = bench_mesh.start(name, command, self.folder, port)
        try:
            process.until_answered(30)
            time.sleep(IDLE_SECONDS)
            idle = process.memory_mib()
            errors = self.work(process, port)
            figures = {"idle_mib": idle, "loaded_mib": process.memory_mib(), "errors": errors}
            if name != bench_mesh.PROXYLESS:  # nobody connects to that
                figures["connections_mib"] = self.with_idle_connections(name, process, port)
            return figures
        finally:
            process.stop()

    def work(self, process, port):
        """The load of unary's shapes for files, as it was always; else one that is the same for clients without a port."""
        if not self.files:
            return process.calls(CALLS, CALLERS)
        return sum(self.plain(process, port, connections, streams)["errors"] for connections, streams in SHAPES)

    def with_idle_connections(self, name, process, port):
        connections, many = [], 0
        try:
            connections = bench_client.idle_connections(port, IDLE_CONNECTIONS)
            many = process.memory_mib()
        except (OSError, RuntimeError) as failure:
            if name in bench_peers.BUILDS:
                raise RuntimeError(f"idle connections: {failure}") from failure
        finally:
            for connection in connections:
                connection.close()
        return many


BENCHMARKS = {"unary": [Unary], "latency": [Latency], "streaming": [Streaming], "startup": [Startup], "memory": [Memory]}
