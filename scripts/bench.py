"""Compares proxies by CPU per request, rate, latency and throughput. Run through scripts/bench.

Every proxy runs at the same time, idle but for the one under load, and the rounds are interleaved, so that a noisy
machine is unfair to all alike. CPU time is that of the proxy's processes alone, read from /proc; figures are medians
over the rounds. Only processes that were started here are ever ended.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import bench_peers

SHAPES = [(1, 1), (50, 1), (10, 10), (1, 100)]
PATH = "/orders.Orders/Get.grpc"
BULK = "/orders.Orders/Export.grpc"
GIB = 1 << 30
BODY_BYTES = 100
REFERENCE = "envoy"
COMPARED = ("cpu_us", "rate", "cpu_s_per_gib", "mb_per_s")
TICKS = os.sysconf("SC_CLK_TCK")
HEADERS = ["-H", "content-type: application/grpc", "-H", "te: trailers", "-H", "user-agent: bench"]


class Process:
    """A process group that was started here, with its own output file."""

    def __init__(self, name, command, folder):
        self.name = name
        self.log = os.path.join(folder, name + ".log")
        with open(self.log, "wb") as log:
            self.popen = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def pids(self):
        """The process and its descendants."""
        children = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry))
        found, todo = [], [self.popen.pid]
        while todo:
            pid = todo.pop()
            found.append(pid)
            todo.extend(children.get(pid, []))
        return found

    def cpu_seconds(self):
        total = 0
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                    fields = stat.read().rpartition(")")[2].split()
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def memory_mib(self, field="VmRSS"):
        """Resident memory now, or with VmHWM the most there ever was."""
        total = 0
        for pid in self.pids():
            try:
                with open(f"/proc/{pid}/status", encoding="utf-8") as status:
                    found = re.search(field + r":\s+(\d+) kB", status.read())
            except OSError:
                continue
            total += int(found.group(1)) if found else 0
        return total / 1024

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
        return lines[-1] if lines else "no output"

    def stop(self):
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self.popen.poll() is not None:
                return
            try:
                os.killpg(self.popen.pid, sign)
                self.popen.wait(timeout=5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


class Growth:
    """The most resident memory while a block runs, heap and direct buffers alike, sampled as it runs."""

    def __init__(self, process):
        self.process = process
        self.before = self.peak = process.memory_mib()
        self.over = threading.Event()
        self.sampler = threading.Thread(target=self.sample, daemon=True)

    def sample(self):
        while not self.over.wait(0.05):
            self.peak = max(self.peak, self.process.memory_mib())

    def __enter__(self):
        self.sampler.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.sampler.join()

    def mib(self):
        return self.peak - self.before


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_served(process, port, folder):
    """Waits until one call is answered as it should be; says what was wrong when that does not come within 20 s."""
    until = time.monotonic() + 20
    wrong = "no answer"
    while time.monotonic() < until and process.popen.poll() is None:
        wrong = reply_fault(port, folder)
        if wrong is None:
            return None
        time.sleep(0.2)
    ended = process.popen.poll()
    return process.last_words() if ended is not None else f"{wrong}; its log ends: {process.last_words()}"


def reply_fault(port, folder):
    """What is wrong with the answer to one call: it must be the backend's, with its body and its trailer."""
    command = ["nghttp", "-v", "-n", "-t", "5", *HEADERS, "-d", os.path.join(folder, "request"), f"http://127.0.0.1:{port}{PATH}"]
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout
    except subprocess.TimeoutExpired:
        return "no answer within 10 s"
    fields = dict(re.findall(r"recv \(stream_id=\d+\) (:?[^:\s]+): (.*)", text))
    for name, wanted in ((":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "0")):
        if fields.get(name) != wanted:
            message = fields.get("grpc-message")
            return f"{name} is {fields.get(name)}, not {wanted}" + (f" ({message})" if message else "")
    body = sum(int(length) for length in re.findall(r"recv DATA frame <length=(\d+)", text))
    return None if body == BODY_BYTES else f"the body has {body} bytes, not {BODY_BYTES}"


def load(port, arguments, path, limit):
    """Runs h2load once and reads its report."""
    command = ["h2load", *HEADERS, *arguments, f"http://127.0.0.1:{port}{path}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired as expired:
        raise RuntimeError(f"h2load did not end within {limit} s") from expired
    rate = re.search(r"finished in ([\d.]+)(us|ms|s|m|h), ([\d.]+) req/s", run.stdout)
    counts = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", run.stdout)
    status = re.search(r"status codes: (\d+) 2xx", run.stdout)
    body = re.search(r"\((\d+)\) headers .*\((\d+)\) data", run.stdout)
    if not rate or not counts or not status or not body:
        raise RuntimeError("h2load: " + (run.stderr.strip() or run.stdout.strip() or "no output"))
    unit = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600}[rate.group(2)]
    done, succeeded = int(counts.group(1)), min(int(counts.group(2)), int(status.group(1)))
    return {
        "seconds": float(rate.group(1)) * unit,
        "rate": float(rate.group(3)),
        "done": done,
        "body_bytes": int(body.group(2)),
        "errors": done - succeeded + int(counts.group(5)),
    }


def percentiles(log):
    """Latencies of h2load's log, third column, as (p50, p99) in milliseconds."""
    with open(log, encoding="utf-8") as lines:
        micros = sorted(int(line.split("\t")[2]) for line in lines if line.count("\t") >= 2)
    if not micros:
        return 0.0, 0.0
    return micros[len(micros) // 2] / 1000, micros[min(len(micros) - 1, len(micros) * 99 // 100)] / 1000


def measure_unary(process, port, shape, seconds, folder):
    connections, streams = shape
    log = os.path.join(folder, "h2load.log")
    if os.path.exists(log):
        os.remove(log)
    before = process.cpu_seconds()
    done = load(
        port,
        ["-D", f"{seconds * 1000:.0f}ms", "-c", str(connections), "-m", str(streams), "-t", "1", "-d", os.path.join(folder, "request"),
         "--log-file=" + log],
        PATH,
        seconds + 30,
    )
    cpu = process.cpu_seconds() - before
    p50, p99 = percentiles(log)
    # A failure of gRPC is a 200 without a body: the bytes tell how many there were.
    bodiless = max(0, -(-(done["done"] * BODY_BYTES - done["body_bytes"]) // BODY_BYTES))
    return {
        "cpu_us": cpu / max(1, done["done"]) * 1e6,
        "rate": done["done"] / seconds,
        "p50_ms": p50,
        "p99_ms": p99,
        "memory_mib": process.memory_mib(),
        "errors": max(done["errors"], bodiless),
    }


def measure_streaming(process, port, shape, size, folder):
    arguments = ["-n", "1", "-c", "1", "-m", "1", "-w", "24", "-W", "24"]
    before = process.cpu_seconds()
    with Growth(process) as growth:
        if shape == "upload":
            done = load(port, [*arguments, "-d", os.path.join(folder, "bulk")], PATH, 300)
        else:
            done = load(port, arguments, BULK, 300)
    cpu = process.cpu_seconds() - before
    wanted = size if shape == "download" else BODY_BYTES
    return {
        "cpu_s_per_gib": cpu / (size / GIB),
        "mb_per_s": size / 1e6 / done["seconds"],
        "peak_mib": growth.peak,
        "memory_growth_mib": growth.mib(),
        "errors": max(done["errors"], int(done["done"] != 1), int(done["body_bytes"] != wanted)),
    }


def start_backend(folder, size):
    """nghttpd with a 100-byte answer, a bulk file, gRPC's content type and its trailer."""
    os.makedirs(os.path.join(folder, "www/orders.Orders"))
    for name, length in (("Get.grpc", BODY_BYTES), ("Export.grpc", size)):
        with open(os.path.join(folder, "www/orders.Orders", name), "wb") as file:
            file.truncate(length)
    os.symlink(os.path.join(folder, "www/orders.Orders/Export.grpc"), os.path.join(folder, "bulk"))
    with open(os.path.join(folder, "request"), "wb") as file:
        file.write(b"\0\0\0\0\x5f" + b"x" * 95)
    bench_peers.write(folder, "mime.types", "application/grpc grpc\n")
    port = free_port()
    command = ["nghttpd", "--no-tls", "-a", "127.0.0.1", "-d", os.path.join(folder, "www"), "-n", "1", "-m", "1000",
               "-w", "24", "-W", "24", "--trailer", "grpc-status: 0",
               "--mime-types-file=" + os.path.join(folder, "mime.types"), str(port)]
    return Process("backend", command, folder), port


def start_all(names, root, folder, backend, started):
    """The proxies that came up, as name -> (process, port); says why others did not. Without Outrigger it ends."""
    running = {}
    for name in names:
        if name != "outrigger" and bench_peers.binary(name) is None:
            say(f"{name} is not installed ({bench_peers.INSTALL[name]}); left out")
            continue
        port = free_port()
        try:
            process = Process(name, bench_peers.COMMANDS[name](folder, root, port, backend), folder)
            started.append(process)
            wrong = wait_until_served(process, port, folder)
        except OSError as failure:
            wrong = str(failure)
        if wrong is None:
            running[name] = (process, port)
        elif name == "outrigger":
            raise RuntimeError(f"outrigger does not serve: {wrong}")
        else:
            say(f"{name} does not serve: {wrong}; left out")
    return running


def say(text):
    print(text, file=sys.stderr, flush=True)


def summary(samples):
    """Medians over the rounds; of what must not happen, the worst of them."""
    worst = ("errors", "peak_mib", "memory_growth_mib")
    return {key: (max if key in worst else statistics.median)(sample[key] for sample in samples) for key in samples[0]}


def ratio(rows, name, key):
    """How a proxy's figure compares to the reference's in the same rounds; None where that did not run."""
    base = rows.get(REFERENCE, {}).get(key)
    return rows[name][key] / base if base and key in COMPARED else None


def table(results, columns):
    """One block of lines per shape: figures, and ratios to the reference where it ran."""
    for shape, rows in results.items():
        print(f"\n{shape}")
        print("  " + "proxy".ljust(12) + "".join(title.rjust(16) for _, title, _ in columns))
        for name, figures in rows.items():
            cells = []
            for key, _, form in columns:
                cell = form.format(figures[key])
                compared = ratio(rows, name, key)
                if compared is not None:
                    cell += f" ({compared:.2f})"
                cells.append(cell.rjust(16))
            print("  " + name.ljust(12) + "".join(cells))
    if any(REFERENCE in rows for rows in results.values()):
        print(f"\nIn brackets: the ratio to {REFERENCE} in the same rounds.")


UNARY_COLUMNS = [("cpu_us", "CPU us/req", "{:.1f}"), ("rate", "req/s", "{:.0f}"), ("p50_ms", "p50 ms", "{:.2f}"),
                 ("p99_ms", "p99 ms", "{:.2f}"), ("memory_mib", "RSS MiB", "{:.0f}"), ("errors", "errors", "{:.0f}")]
STREAMING_COLUMNS = [("cpu_s_per_gib", "CPU s/GiB", "{:.2f}"), ("mb_per_s", "MB/s", "{:.0f}"),
                     ("peak_mib", "peak RSS MiB", "{:.0f}"), ("memory_growth_mib", "grown by MiB", "{:+.1f}"),
                     ("errors", "errors", "{:.0f}")]


def unary(running, options, folder):
    seconds = options.seconds or (1.2 if options.quick else 5)
    rounds = options.rounds or (3 if options.quick else 5)
    for name, (_, port) in running.items():
        say(f"warming {name}")
        # By requests, not by time: on a busy machine a JVM would else be measured while it compiles.
        for requests, connections, streams in ((60_000, 10, 10), (10_000, 1, 1)):
            total = requests if options.quick else 3 * requests
            arguments = ["-n", str(total), "-c", str(connections), "-m", str(streams), "-t", "1"]
            load(port, [*arguments, "-d", os.path.join(folder, "request")], PATH, 120)
    return rounds, [(f"{c} connections x {s} streams", lambda p, port, sh=(c, s): measure_unary(p, port, sh, seconds, folder))
                    for c, s in SHAPES]


def streaming(running, options, folder):
    rounds = options.rounds or (1 if options.quick else 3)
    size = bulk_size(options)
    for name, (process, port) in running.items():
        say(f"warming {name}")
        measure_streaming(process, port, "download", size, folder)
        measure_streaming(process, port, "upload", size, folder)
    label = f"{size / GIB:g} GiB on one stream, "
    return rounds, [(label + shape, lambda p, port, sh=shape: measure_streaming(p, port, sh, size, folder))
                    for shape in ("download", "upload")]


def bulk_size(options):
    return GIB // 4 if options.quick else GIB


def run(options, folder, started):
    backend, backend_port = start_backend(folder, bulk_size(options) if options.name == "streaming" else 0)
    started.append(backend)
    wrong = wait_until_served(backend, backend_port, folder)
    if wrong is not None:
        raise RuntimeError(f"the backend does not serve: {wrong}")
    names = options.only.split(",") if options.only else list(bench_peers.COMMANDS)
    unknown = [name for name in names if name not in bench_peers.COMMANDS]
    if unknown:
        sys.exit(f"bench: unknown proxy {unknown[0]}; known: {', '.join(bench_peers.COMMANDS)}")
    running = start_all(names, options.root, folder, backend_port, started)
    if not running:
        sys.exit("bench: no proxy runs")

    rounds, shapes = (unary if options.name == "unary" else streaming)(running, options, folder)
    samples = {title: {name: [] for name in running} for title, _ in shapes}
    order = list(running)
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for title, measure in shapes:
            for name in order:
                process, port = running[name]
                samples[title][name].append(measure(process, port))
            order = order[1:] + order[:1]  # nobody is always first
    return {title: {name: summary(taken) for name, taken in rows.items()} for title, rows in samples.items()}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("root", help=argparse.SUPPRESS)
    parser.add_argument("name", choices=["unary", "streaming"])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="length of one unary measurement")
    parser.add_argument("--only", help="comma-separated proxies instead of all that are installed")
    options = parser.parse_args()

    folder = tempfile.mkdtemp(prefix="outrigger-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    started = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        results = run(options, folder, started)
    except (RuntimeError, KeyboardInterrupt) as failure:
        sys.exit(f"bench: {failure or 'interrupted'}")
    finally:
        for process in reversed(started):
            process.stop()
        shutil.rmtree(folder, ignore_errors=True)

    if options.json:
        ratios = {
            shape: {name: {key: ratio(rows, name, key) for key in COMPARED if key in figures} for name, figures in rows.items()}
            for shape, rows in results.items()
        }
        document = {"benchmark": options.name, "cpus": os.cpu_count(), "reference": REFERENCE}
        print(json.dumps({**document, "results": results, "ratios": ratios}, indent=2))
    else:
        print(f"scripts/bench {options.name}: {os.cpu_count()} CPUs, one worker thread a proxy, medians of interleaved rounds")
        table(results, UNARY_COLUMNS if options.name == "unary" else STREAMING_COLUMNS)
    if any(rows["outrigger"]["errors"] for rows in results.values() if "outrigger" in rows):
        sys.exit("bench: outrigger answered some requests with errors")


if __name__ == "__main__":
    main()
