"""What looking at a busy sidecar costs: scripts/bench polling.

One forward carries load as in scripts/bench unary; another has many clusters whose endpoints are all connected. Short
rounds with and without a reader alternate, in an order that turns each time, and CPU time is compared only within a run.
A reader is "polled", which asks for /lb, /metrics and /events every second, or "page", which asks for what the page asks for
with its tree in sight. Then /explain is asked, beside the load and without it.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import select
import socket
import statistics
import sys
import threading
import time
from types import SimpleNamespace

import bench_peers
from bench_client import ACK, SETTINGS, Frames, frame
from bench_load import start_backend, wait_until_served
from bench_measures import Unary
from bench_process import Process, free_port, workplace

ALONE, POLLED, PAGE = "alone", "polled", "page"
READERS = {
    POLLED: ["/lb", "/metrics", "/events?format=json"],
    PAGE: ["/ready", "/forwards", "/calls", "/lb?forward=many&detail=calls"],
}
PERIOD = 1.0
MOST_RATIO = 1.03
MOST_EXPLAIN_MS = 10
EXPLAINED = "/explain?forward=many&path=/service.{}/Get"
WARM_POLLS = 150  # until the compilers are done with them
LISTENERS_PER_PROCESS = 2500  # each has a connection too, and descriptors are few
THREADS = {"loop": ("loop-",), "control": ("control",), "reply": ("ForkJoinPool",), "admin": ("admin",), "gc": ("GC ", "G1 ", "VM Thread"),
           "compilers": ("C1 ", "C2 ")}


def say(text):
    print(text, file=sys.stderr, flush=True)


def address(index):
    """A loopback address for each endpoint; all share a port."""
    return f"127.{1 + (index >> 16)}.{index >> 8 & 255}.{index & 255}"


def many_clusters(folder, clusters, endpoints, port):
    """Resources of a target that routes to every cluster by a path of its own."""
    routes, resources = [], []
    for c in range(clusters):
        name = f"cluster-{c}"
        routes.append({"match": {"prefix": f"/service.{c}/"}, "route": {"cluster": name}})
        resources.append({
            "@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": name, "type": "EDS",
            "eds_cluster_config": {"eds_config": {"ads": {}}},
            "outlier_detection": {"interval": "10s", "success_rate_stdev_factor": 1900, "failure_percentage_threshold": 85},
        })
        hosts = [{"endpoint": {"address": {"socket_address": {"address": address(c * endpoints + e), "port_value": port}}}}
                 for e in range(endpoints)]
        locality = {"region": "local", "zone": "a"}
        resources.append({
            "@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": name,
            "endpoints": [{"locality": locality, "load_balancing_weight": 1, "lb_endpoints": hosts}],
        })
    manager = bench_peers.connection_manager({"route_config": {
        "name": "many", "virtual_hosts": [{"name": "many", "domains": ["*"], "routes": routes}]}})
    resources.append({"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": "many",
                      "api_listener": {"api_listener": manager}})
    return bench_peers.write(folder, "many.json", json.dumps({"resources": resources}))


def listen_on(addresses, port, is_listening):
    """Endpoints that exchange SETTINGS and do nothing more; for ever."""
    poll, listeners, connections = select.epoll(), {}, {}
    for host in addresses:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(8)
        listeners[listener.fileno()] = listener
        poll.register(listener.fileno(), select.EPOLLIN)
    is_listening.set()
    while True:
        for descriptor, _ in poll.poll():
            if descriptor in listeners:
                connection = listeners[descriptor].accept()[0]
                connection.sendall(frame(SETTINGS, 0, 0))
                connections[connection.fileno()] = (connection, Frames())
                poll.register(connection.fileno(), select.EPOLLIN)
                continue
            connection, frames = connections[descriptor]
            try:
                data = connection.recv(65536)
            except OSError:
                data = b""
            if not data:
                poll.unregister(descriptor)
                del connections[descriptor]
                connection.close()
                continue
            for kind, flags, _, _ in frames.feed(data):
                if kind == SETTINGS and not flags & ACK:
                    connection.sendall(frame(SETTINGS, ACK, 0))


class Endpoints:
    """Processes that listen for all endpoints."""

    def __init__(self, count, port):
        all_addresses, self.processes = [address(i) for i in range(count)], []
        for start in range(0, count, LISTENERS_PER_PROCESS):
            is_listening = multiprocessing.Event()
            part = all_addresses[start : start + LISTENERS_PER_PROCESS]
            process = multiprocessing.Process(target=listen_on, args=(part, port, is_listening), daemon=True)
            process.start()
            self.processes.append(process)
            if not is_listening.wait(20):
                raise RuntimeError("the endpoints do not listen")

    def stop(self):
        for process in self.processes:
            process.kill()


class Admin:
    """A connection to the admin server that is kept."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, path):
        """The body, and milliseconds until it was there."""
        begun = time.perf_counter()
        self.connection.request("GET", path, headers={"accept-encoding": "gzip"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}: {body[:200]!r}")
        return body, (time.perf_counter() - begun) * 1000


class Reader(threading.Thread):
    """Asks for some paths each second while a block runs."""

    def __init__(self, port, paths):
        super().__init__(daemon=True)
        self.admin, self.paths, self.over, self.failure = Admin(port), paths, threading.Event(), None

    def run(self):
        due = time.monotonic()
        try:
            while not self.over.is_set():
                for path in self.paths:
                    self.admin.ask(path)
                due += PERIOD
                self.over.wait(max(0, due - time.monotonic()))
        except (OSError, RuntimeError, http.client.HTTPException) as failure:
            self.failure = failure

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
        if self.failure is not None:
            raise RuntimeError(f"polling failed: {self.failure}")


def thread_seconds(pid):
    """CPU time of the process' threads by what they are for."""
    spent = dict.fromkeys([*THREADS, "other"], 0.0)
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as file:
                name = file.read()
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="utf-8") as file:
                nanos = int(file.read().split()[0])
        except OSError:
            continue
        kind = next((kind for kind, starts in THREADS.items() if name.startswith(starts)), "other")
        spent[kind] += nanos / 1e9
    return spent


class Sidecar:
    """A sidecar with all of it, warm."""

    def __init__(self, options, folder, started):
        self.options = options
        backend, backend_port = start_backend(folder, 0)
        started.append(backend)
        endpoints_port = free_port()
        count = options.clusters * options.endpoints
        started.append(Endpoints(count, endpoints_port))
        self.port = free_port()
        command = bench_peers.outrigger(folder, options.root, self.port, backend_port)
        self.admin_port = int(command[command.index("--admin") + 1].rpartition(":")[2])
        many = many_clusters(folder, options.clusters, options.endpoints, endpoints_port)
        self.process = Process("outrigger", [*command, "--resources", many, "--forward", "0=xds:///many"], folder)
        started.append(self.process)
        wrong = wait_until_served(self.process, self.port, folder)
        if wrong is not None:
            raise RuntimeError(f"outrigger does not serve: {wrong}")
        self.unary = Unary(SimpleNamespace(quick=True, seconds=options.seconds), folder)
        self.await_connections(Admin(self.admin_port), count)

    @staticmethod
    def await_connections(admin, count):
        until = time.monotonic() + 120
        while time.monotonic() < until:
            body, _ = admin.ask("/lb?forward=many")
            ready = body.translate(None, b" \n").count(b'"READY","active_requests"')
            if ready == count:
                return
            time.sleep(0.5)
        raise RuntimeError(f"{ready} of {count} endpoints are connected")

    def warm(self):
        self.unary.warm(self.process, self.port)
        admin = Admin(self.admin_port)
        for _ in range(WARM_POLLS):
            for path in [*READERS[POLLED], *READERS[PAGE], self.explained(0)]:
                admin.ask(path)

    def explained(self, number):
        return EXPLAINED.format(number % self.options.clusters)

    def loaded(self):
        """One round under load: CPU microseconds a call, and what each kind of thread had of a second of CPU."""
        before, begun = thread_seconds(self.process.popen.pid), time.monotonic()
        figures = self.unary.plain(self.process, self.port, 10, 10)
        elapsed, after = time.monotonic() - begun, thread_seconds(self.process.popen.pid)
        shares = {kind + "_ms_per_s": (after[kind] - before[kind]) / elapsed * 1000 for kind in after}
        return {"cpu_us": figures["cpu_us"], "rate": figures["rate"], "p99_ms": figures["p99_ms"], "errors": figures["errors"], **shares}

    def idle(self):
        """One round without load: CPU milliseconds a second."""
        before, begun = sum(thread_seconds(self.process.popen.pid).values()), time.monotonic()
        time.sleep(self.options.seconds)
        spent = sum(thread_seconds(self.process.popen.pid).values()) - before
        return {"cpu_ms_per_s": spent / (time.monotonic() - begun) * 1000}

    def read_by(self, reader, measure):
        if reader == ALONE:
            return measure()
        with Reader(self.admin_port, READERS[reader]):
            return measure()

    def explain(self, asks):
        admin = Admin(self.admin_port)  # one that is not used for a minute is closed
        taken = sorted(admin.ask(self.explained(i))[1] for i in range(asks))
        return {"p50_ms": taken[len(taken) // 2], "p99_ms": taken[len(taken) * 99 // 100]}

    def explain_loaded(self, asks):
        admin, taken = Admin(self.admin_port), []
        load = threading.Thread(target=self.loaded, daemon=True)
        load.start()
        while load.is_alive() and len(taken) < asks:
            taken.append(admin.ask(self.explained(len(taken)))[1])
            time.sleep(0.005)
        load.join()
        taken.sort()
        return {"p50_ms": taken[len(taken) // 2], "p99_ms": taken[len(taken) * 99 // 100]}

    def answers(self):
        """Bytes of each answer and the median of what it takes, one after the other."""
        admin, found = Admin(self.admin_port), {}
        for path in dict.fromkeys([*READERS[POLLED], *READERS[PAGE], self.explained(0)]):
            asked = [admin.ask(path) for _ in range(30)]
            found[path] = {"bytes": len(asked[0][0]), "ms": statistics.median(ms for _, ms in asked)}
        return found


def interleaved(rounds, readers, measure):
    """A list of rounds, each a measurement for every reader; nobody is always first."""
    order, taken = list(readers), []
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        taken.append({reader: measure(reader) for reader in order})
        order = order[1:] + order[:1]
    return taken


def medians(taken, reader):
    return {key: statistics.median(each[reader][key] for each in taken) for key in taken[0][reader]}


def ratios(taken, reader):
    """The CPU time of a call with a reader against that without, of the same round: median and quartiles."""
    each = [one[reader]["cpu_us"] / one[ALONE]["cpu_us"] for one in taken]
    low, _, high = statistics.quantiles(each, n=4)
    return {"median": statistics.median(each), "quartiles": [low, high]}


def run(options, folder, started):
    sidecar = Sidecar(options, folder, started)
    say("warming")
    sidecar.warm()
    names = [ALONE, *READERS]
    idle = interleaved(max(3, options.rounds // 4), names, lambda reader: sidecar.read_by(reader, sidecar.idle))
    loaded = interleaved(options.rounds, names, lambda reader: sidecar.read_by(reader, sidecar.loaded))
    return {
        "benchmark": "polling", "cpus": os.cpu_count(), "clusters": options.clusters, "endpoints": options.endpoints,
        "loaded": {name: medians(loaded, name) for name in names},
        "ratios": {name: ratios(loaded, name) for name in READERS},
        "idle": {name: medians(idle, name) for name in names},
        "explain": {"without load": sidecar.explain(options.asks), "beside load": sidecar.explain_loaded(options.asks)},
        "answers": sidecar.answers(),
        "errors": sum(each[name]["errors"] for each in loaded for name in names),
    }


def verdict(met):
    return "met" if met else "MISSED"


def table(result):
    print(f"scripts/bench polling: {result['clusters']} clusters x {result['endpoints']} endpoints, all connected; {result['cpus']} CPUs, "
          "medians of interleaved rounds")
    kinds = [*THREADS, "other"]
    print("\n10 connections x 10 streams\n  " + "reader".ljust(10) + "CPU us/req".rjust(12) + "req/s".rjust(9) + "p99 ms".rjust(9)
          + "   CPU ms/s: " + "".join(kind.rjust(10) for kind in kinds))
    for name, row in result["loaded"].items():
        print("  " + name.ljust(10) + f"{row['cpu_us']:12.2f}{row['rate']:9.0f}{row['p99_ms']:9.2f}" + " " * 13
              + "".join(f"{row[kind + '_ms_per_s']:10.1f}" for kind in kinds))
    print("\nno load\n  " + "reader".ljust(10) + "CPU ms/s".rjust(12))
    for name, row in result["idle"].items():
        print("  " + name.ljust(10) + f"{row['cpu_ms_per_s']:12.1f}")
    print("\nanswers\n  " + "path".ljust(44) + "bytes".rjust(10) + "ms".rjust(9))
    for path, row in result["answers"].items():
        print("  " + path.ljust(44) + f"{row['bytes']:10}{row['ms']:9.2f}")
    print("\nTargets of outrigger")
    for name, ratio in result["ratios"].items():
        low, high = ratio["quartiles"]
        print(f"  CPU of a request, {name} : {ALONE}".ljust(44) + f"<= {MOST_RATIO:<8g}{ratio['median']:7.3f}  {verdict(ratio['median'] <= MOST_RATIO)}"
              f"  (quartiles of the rounds {low:.3f} to {high:.3f})")
    for when, figures in result["explain"].items():
        for key, title in (("p50_ms", "median"), ("p99_ms", "p99")):
            print(f"  explain, {title} {when}, ms".ljust(44) + f"<= {MOST_EXPLAIN_MS:<8g}{figures[key]:7.2f}  {verdict(figures[key] <= MOST_EXPLAIN_MS)}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("root", help=argparse.SUPPRESS)
    parser.add_argument("name", choices=["polling"])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="length of one measurement")
    parser.add_argument("--clusters", type=int, default=100)
    parser.add_argument("--endpoints", type=int, default=100, help="of each cluster")
    parser.add_argument("--asks", type=int, default=400, help="how often /explain is asked")
    options = parser.parse_args()
    options.rounds = max(2, options.rounds or (6 if options.quick else 20))
    options.seconds = options.seconds or (2 if options.quick else 3)

    with workplace() as (folder, started):
        result = run(options, folder, started)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        table(result)
    if result["errors"]:
        sys.exit("bench: outrigger answered some requests with errors")


if __name__ == "__main__":
    main()
