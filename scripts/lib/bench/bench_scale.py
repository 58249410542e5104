"""What scripts/bench scale measures: much configuration, from the start of the process to the first answer, and changes.

One control plane serves so many clusters x endpoints in each x routes to all peers. The call takes the last of the routes,
to the last of the clusters. Endpoints are loopback addresses on the backend's port. Policy is ring_hash with rings as small
as they can be, whose endpoints are connected by the calls that they get: one process may not have as many sockets as the
larger sizes have endpoints. The size with round_robin connects to all of them.
"""

import asyncio
import itertools
import statistics
import struct
import sys
import threading
import time

import bench_mesh
from bench_client import (ACK, DATA, END_HEADERS, END_STREAM, HEADERS, MAX_WINDOW, PREFACE, SETTINGS, WINDOW_UPDATE, Frames, frame,
                          literal)
from bench_load import BODY, PATH, start_backend
from bench_measures import Benchmark

SIZES = ["1x1x1", "100x20x500", "1000x20x5000", "10000x10x20000", "50x100x50:round_robin"]
TARGETS = {
    "1000x20x5000": [("first_ms", "<=", 1.3), ("cpu_ms", "<=", 1.5), ("rss_mib", "<=", 0.8), ("change_cpu_ms", "<=", 0.1)],
    "10000x10x20000": [("first_ms", "<=", 1.5), ("rss_mib", "<=", 1.0)],
    "50x100x50:round_robin": [("first_ms", "<=", 2.0)],
}
FIRST_SECONDS = 180
FORCE_SECONDS = 60
SAMPLE_SECONDS = 0.1
MOST_SAMPLES = 200
QUIET_CPU = 0.003
STATUS_200 = b"\x88"


class Size:
    """Clusters, endpoints in each, routes, and the policy of all clusters: 100x20x500, or 100x20x500:round_robin."""

    def __init__(self, text):
        numbers, _, policy = text.partition(":")
        self.text = text
        self.policy = policy or "ring_hash"
        try:
            self.clusters, self.endpoints, self.routes = map(int, numbers.split("x"))
        except ValueError:
            sys.exit(f"bench: {text} is no size; one is CLUSTERSxENDPOINTSxROUTES, such as {SIZES[1]}")
        if not 1 <= self.clusters <= self.routes or self.endpoints < 1:
            sys.exit(f"bench: {text}: each cluster needs an endpoint and a route")

    def title(self):
        return f"{self.clusters:,} clusters x {self.endpoints:,} endpoints, {self.routes:,} routes, {self.policy}"

    def resources(self, backend):
        yield bench_mesh.client_listener()
        yield bench_mesh.route_configuration(self.route_table())
        ring = {"ring_hash_lb_config": {"minimum_ring_size": self.endpoints}} if self.policy == "ring_hash" else {}
        for number in range(self.clusters):
            yield bench_mesh.cluster(f"cluster-{number}", lb_policy=self.policy.upper(), **ring)
        for number in range(self.clusters):
            yield self.assignment(number, backend)

    def route_table(self):
        """Routes lead to one cluster after the other, round and round, the last to the last."""
        first = (self.clusters - self.routes % self.clusters) % self.clusters
        routes = [{"match": {"path": f"/service.{i}/Call"}, "route": {"cluster": f"cluster-{(first + i) % self.clusters}"}}
                  for i in range(self.routes)]
        routes[-1]["match"]["path"] = PATH
        return {"name": "orders", "virtual_hosts": [{"name": "orders", "domains": ["*"], "routes": routes}]}

    def assignment(self, number, backend, first=None):
        """Endpoints of a cluster; of the last, which is called, the first one is preferred, and may be told."""
        hosts = [(address(number * self.endpoints + i), backend) for i in range(self.endpoints)]
        hosts[0] = first or hosts[0]
        if number < self.clusters - 1 or self.endpoints == 1:
            parts = [hosts]
        else:
            parts = [hosts[:1], hosts[1:]]
        localities = [{"locality": {"region": f"r{priority}"}, "priority": priority, "load_balancing_weight": 1,
                       "lb_endpoints": [endpoint(*host) for host in part]} for priority, part in enumerate(parts)]
        return bench_mesh.assignment({"cluster_name": f"cluster-{number}", "endpoints": localities})


def address(index):
    return f"127.{1 + (index >> 16)}.{index >> 8 & 255}.{index & 255}"


def endpoint(host, port):
    return {"endpoint": {"address": {"socket_address": {"address": host, "port_value": port}}}}


class Newcomers:
    """The backend that endpoints change to: at all loopback addresses, and it knows when each was called first."""

    def __init__(self):
        self.called = {}
        self.loop = asyncio.new_event_loop()
        server = self.loop.run_until_complete(self.loop.create_server(lambda: Answering(self.called), "0.0.0.0", 0))
        self.port = server.sockets[0].getsockname()[1]
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


class Answering(asyncio.Protocol):
    """A connection that answers every call alike."""

    def __init__(self, called):
        self.called = called
        self.preface = len(PREFACE)
        self.frames = Frames()

    def connection_made(self, transport):
        self.transport = transport
        self.host = transport.get_extra_info("sockname")[0]
        transport.write(frame(SETTINGS, 0, 0) + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", MAX_WINDOW - 65535)))

    def data_received(self, data):
        skipped = min(self.preface, len(data))
        self.preface -= skipped
        reply = b""
        for kind, flags, stream, _ in self.frames.feed(data[skipped:]):
            if kind == SETTINGS and not flags & ACK:
                reply += frame(SETTINGS, ACK, 0)
            elif kind in (HEADERS, DATA) and flags & END_STREAM:
                self.called.setdefault(self.host, time.monotonic())
                head, trailer = STATUS_200 + literal(b"content-type", b"application/grpc"), literal(b"grpc-status", b"0")
                reply += frame(HEADERS, END_HEADERS, stream, head) + frame(DATA, 0, stream, BODY)
                reply += frame(HEADERS, END_HEADERS | END_STREAM, stream, trailer)
        if reply:
            self.transport.write(reply)


class Scale(Benchmark):
    """One size."""

    columns = [("first_ms", "first call ms", "{:.0f}"), ("cpu_ms", "CPU ms", "{:.0f}"), ("rss_mib", "RSS MiB", "{:.1f}"),
               ("change_cpu_ms", "change CPU ms", "{:.2f}"), ("change_ms", "in force ms", "{:.1f}"),
               ("alone_cpu_ms", "alone CPU ms", "{:.2f}"), ("alone_ms", "in force ms", "{:.1f}"), ("errors", "errors", "{:.0f}")]
    notes = ("first call, CPU, RSS: from the start of the process to the first answer. change: one endpoint of the last cluster becomes\n"
             "another, and the assignments of all clusters are sent; alone: only that one is. in force: until it gets a call.")
    peers = bench_mesh.PEERS
    rounds = (1, 3)
    fresh = True
    on_request = []

    def __init__(self, size, options, folder):
        super().__init__(folder)
        self.size = size
        self.changes = 3 if options.quick else 7
        self.warming = 2 if options.quick else 10
        self.idle_samples = 10 if options.quick else 50
        self.targets = [(size.title(), *target) for target in TARGETS.get(size.text, [])]
        self.number = 0

    def start_backend(self):
        backend, self.backend_port = start_backend(self.folder, 0, host="0.0.0.0")
        return backend, self.backend_port

    def start_mesh(self, root, backend):
        self.newcomers = Newcomers()
        self.mesh = bench_mesh.Mesh(root, self.folder, self.size.resources(backend))
        return [self.newcomers, self.mesh]

    def shapes(self):
        return [(self.size.title(), self.grow)]

    def grow(self, name, command, port):
        process = bench_mesh.start(name, command, self.folder, port)
        try:
            first = process.until_answered(FIRST_SECONDS)
            figures = {"first_ms": first * 1000, "cpu_ms": process.cpu_seconds(ended=True) * 1000, "rss_mib": process.memory_mib()}
            self.errors = 0
            for _ in range(self.warming):
                self.delay(process, alone=False)
                self.delay(process, alone=True)
            for key, alone in (("change", False), ("alone", True)):
                figures[key + "_cpu_ms"] = self.cost(process, alone) * 1000
                figures[key + "_ms"] = statistics.median(self.delay(process, alone) for _ in range(self.changes)) * 1000
            return {**figures, "errors": self.errors}
        finally:
            process.stop()
            self.mesh.change(self.size.assignment(self.size.clusters - 1, self.backend_port))  # as it was

    def change(self, alone):
        """Moves the called endpoint to a new address, and says to which."""
        self.number += 1
        host = f"127.250.{self.number >> 8}.{self.number & 255}"
        last = self.size.clusters - 1
        self.mesh.change(self.size.assignment(last, self.backend_port, (host, self.newcomers.port)), alone)
        return host

    def delay(self, process, alone):
        """Seconds from a change until the new endpoint gets a call, of calls one after the other."""
        begun = time.monotonic()
        host = self.change(alone)
        while host not in self.newcomers.called:
            self.errors += not process.call()
            if time.monotonic() > begun + FORCE_SECONDS:
                raise RuntimeError(f"{process.name}: an endpoint is not in force after {FORCE_SECONDS} s")
        self.mesh.acknowledged()
        return self.newcomers.called[host] - begun

    def cost(self, process, alone):
        """CPU seconds that a change takes, without calls and less what the process uses anyway: the median of some."""
        quiet(process)
        idle = statistics.median(itertools.islice(usage(process), self.idle_samples)) / SAMPLE_SECONDS
        costs = []
        for _ in range(self.changes):
            begun, before = time.monotonic(), process.cpu_seconds()
            self.change(alone)
            self.mesh.acknowledged()
            quiet(process)
            costs.append(max(0, process.cpu_seconds() - before - idle * (time.monotonic() - begun)))
        return statistics.median(costs)


def usage(process):
    """CPU seconds of one sample after the other."""
    before = process.cpu_seconds()
    while True:
        time.sleep(SAMPLE_SECONDS)
        now = process.cpu_seconds()
        yield now - before
        before = now


def quiet(process):
    """Waits until a process has used hardly any CPU in two samples; for some 20 s at most."""
    calm = 0
    for used in itertools.islice(usage(process), MOST_SAMPLES):
        calm = calm + 1 if used < QUIET_CPU else 0
        if calm == 2:
            return


def parts(options):
    """A benchmark for each size that was asked for."""
    return [lambda options, folder, size=Size(text): Scale(size, options, folder) for text in (options.sizes or ",".join(SIZES)).split(",")]
