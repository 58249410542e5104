"""Compares proxies by CPU per request, rate, latency, throughput, start, memory and scale. Run through scripts/bench.

Proxies run at the same time, idle but for the one under load (or one after the other where the start is what counts),
and the rounds are interleaved, so that a noisy machine is unfair to all alike. CPU time is that of the proxy's
processes alone, read from /proc; figures are medians over the rounds. Only processes that were started here are ever
ended.
"""

import argparse
import json
import os
import resource
import shutil
import signal
import statistics
import sys
import tempfile

import bench_mesh
import bench_peers
import bench_scale
import bench_serve
import bench_tls
from bench_load import wait_until_served
from bench_measures import BENCHMARKS
from bench_process import Process, free_port

ENVOY = "envoy"
OURS = "outrigger"
PARTS = {**{name: lambda _, parts=parts: parts for name, parts in {**BENCHMARKS, "tls": bench_tls.PARTS, "serve": bench_serve.PARTS}.items()},
         "scale": bench_scale.parts}
COMPARED = ("cpu_us", "rate", "p50_ms", "p99_ms", "cpu_s_per_gib", "mib_per_s", "wall_ms", "cpu_ms", "idle_mib", "loaded_mib",
            "handshake_ms", "connect_ms", "connected_mib", "first_ms", "rss_mib", "change_cpu_ms", "change_ms", "alone_cpu_ms", "alone_ms")
WITHOUT_PEERS = """\
without peers:
  scripts/bench pick [--long] [--seconds S] [--json] [WORD...]
                        picks and route selection alone (JMH)
  scripts/bench polling [--quick] [--json] [--clusters N] [--endpoints N] [--rounds N] [--seconds S]
                        CPU per call while the admin server is polled or its page is open
  scripts/bench control [--json] [--overlay] [CLUSTERS [ENDPOINTS [CHANGES]]]
                        CPU time of the control loop for updates, within one process
  scripts/bench update [ENDPOINTS [ROUNDS [POLICY...]]]
                        the same for one endpoint more among many, by policy"""
WORST = ("errors", "peak_mib", "memory_growth_mib", "connections_mib")


def start_all(benchmark, options, backend, started):
    """The proxies that came up, as name -> (process, port); says why others did not. Without Outrigger it ends."""
    running = {}
    for name in chosen(benchmark, options):
        if not is_installed(name):
            say(f"{name} is not installed ({bench_peers.INSTALL[name]}); left out")
            continue
        port = free_port()
        try:
            process = Process(name, command_of(benchmark, options, name, port, backend), benchmark.folder)
            started.append(process)
            wrong = wait_until_served(process, port, benchmark.folder, benchmark.callers)
        except OSError as failure:
            wrong = str(failure)
        if wrong is None:
            running[name] = (process, port)
        elif name in bench_peers.BUILDS:
            raise RuntimeError(f"{name} does not serve: {wrong}")
        else:
            say(f"{name} does not serve: {wrong}; left out")
    return running


def is_installed(name):
    return name in (*bench_peers.BUILDS, bench_mesh.PROXYLESS) or bench_peers.binary(name) is not None


def command_of(benchmark, options, name, port, backend):
    """How a peer is started; another build of Outrigger as the one at hand is."""
    if name == bench_peers.BEFORE:
        ours = benchmark.command(OURS, options.root, port, backend)
        return [os.path.join(options.against, "bin/outrigger"), *ours[1:]]
    return benchmark.command(name, options.root, port, backend)


def say(text):
    print(text, file=sys.stderr, flush=True)


def summary(samples):
    """Medians over the rounds; of what must not happen, the worst of them."""
    return {key: (max if key in WORST else statistics.median)(sample[key] for sample in samples) for key in samples[0]}


def reference(rows):
    """Whom the others are compared to: another build where there is one, else Envoy."""
    return bench_peers.BEFORE if bench_peers.BEFORE in rows else ENVOY


def ratio(rows, name, key):
    """How a proxy's figure compares to the reference's in the same rounds; None where that did not run."""
    base = rows.get(reference(rows), {}).get(key)
    return rows[name][key] / base if base and key in COMPARED and key in rows[name] else None


def verdicts(benchmark, results):
    """Each target with what was reached: (shape, column title, target in words, reached, met)."""
    titles = {key: title for key, title, _ in benchmark.columns}
    found = []
    for shape, key, sign, limit in benchmark.targets:
        rows = results.get(shape, {})
        reached = ratio(rows, OURS, key) if OURS in rows and reference(rows) == ENVOY else None
        if reached is not None:
            met = reached <= limit if sign == "<=" else reached >= limit
            found.append((shape, titles[key], f"{sign} {limit:g} x {ENVOY}", reached, met))
    for shape, key, limit in benchmark.limits:
        if OURS in results.get(shape, {}):
            reached = results[shape][OURS][key]
            found.append((shape, titles[key], f"<= {limit:g}", reached, reached <= limit))
    return found


def table(benchmark, results):
    """One block of lines per shape: figures, and ratios to the reference where it ran; then the targets."""
    for shape, rows in results.items():
        print(f"\n{shape}")
        print("  " + "proxy".ljust(12) + "".join(title.rjust(16) for _, title, _ in benchmark.columns))
        for name, figures in rows.items():
            cells = []
            for key, _, form in benchmark.columns:
                cell = form.format(figures[key]) if key in figures else "-"
                compared = ratio(rows, name, key)
                if compared is not None:
                    cell += f" ({compared:.2f})"
                cells.append(cell.rjust(16))
            print("  " + name.ljust(12) + "".join(cells))
    if benchmark.notes:
        print("\n" + benchmark.notes)
    for name in {reference(rows) for rows in results.values() if reference(rows) in rows}:  # one at most
        print(f"\nIn brackets: the ratio to {name} in the same rounds.")
    judged = verdicts(benchmark, results)
    if judged:
        width = max(len(f"{shape}, {title}") for shape, title, _, _, _ in judged)
        print(f"\nTargets of {OURS}")
        for shape, title, target, reached, met in judged:
            print(f"  {f'{shape}, {title}'.ljust(width)}  {target.ljust(16)} {reached:7.2f}  {'met' if met else 'MISSED'}")


def chosen(benchmark, options):
    names = options.only.split(",") if options.only else [OURS] if options.against else benchmark.peers
    known = [*bench_peers.COMMANDS, bench_mesh.PROXYLESS]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"bench: unknown proxy {unknown[0]}; known: {', '.join(known)}")
    measured = [name for name in names if name in benchmark.peers]
    return measured + [bench_peers.BEFORE] if options.against else measured


def interleaved(rounds, shapes, names, measure):
    """Every shape on every proxy, round by round; nobody is always first."""
    samples = {title: {name: [] for name in names} for title, _ in shapes}
    order = list(names)
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for title, shape in shapes:
            for name in order:
                figures = measure(shape, name)
                samples[title][name] += [figures] if figures else []
            order = order[1:] + order[:1]
    return {title: {name: summary(taken) for name, taken in rows.items() if taken} for title, rows in samples.items()}


def run(benchmark, options, started):
    backend, backend_port = benchmark.start_backend()
    started.append(backend)
    wrong = wait_until_served(backend, backend_port, benchmark.folder, benchmark.tls)
    if wrong is not None:
        raise RuntimeError(f"the backend does not serve: {wrong}")
    rounds = options.rounds or benchmark.rounds[0 if options.quick else 1]
    started += benchmark.start_mesh(options.root, backend_port)
    if benchmark.mesh:
        benchmark.mesh.is_ready()
    if benchmark.fresh:
        return run_fresh(benchmark, options, backend_port, rounds)
    running = start_all(benchmark, options, backend_port, started)
    if not running:
        sys.exit("bench: no proxy runs")
    for name, (process, port) in running.items():
        say(f"warming {name}")
        benchmark.warm(process, port)
    return interleaved(rounds, benchmark.shapes(), running, lambda shape, name: shape(*running[name]))


def run_fresh(benchmark, options, backend_port, rounds):
    """Proxies that are started for each measurement, on their own, ours through scripts/outrigger."""
    names = [name for name in chosen(benchmark, options) if is_installed(name)]

    def command(name, port):
        found = command_of(benchmark, options, name, port, backend_port)
        as_user = name == OURS and not options.against  # the two builds are started alike
        return [os.path.join(options.root, "scripts/outrigger"), *found[1:]] if as_user else found

    def measure(shape, name):
        say(f"  {name}")
        port = free_port()
        try:
            return shape(name, command(name, port), port)
        except RuntimeError as failure:
            if name in bench_peers.BUILDS:
                raise
            say(f"{failure}; left out of this round")
            return None

    if benchmark.mesh:
        warm_mesh(benchmark, names, command)
    return interleaved(rounds, benchmark.shapes(), names, measure)


def warm_mesh(benchmark, names, command):
    """Lets each peer start once beforehand: a control plane that has just started is slow to those that ask it first."""
    for name in filter([*bench_mesh.PEERS, bench_peers.BEFORE].__contains__, names):
        say(f"warming the control plane: {name}")
        port = free_port()
        process = bench_mesh.start(name, command(name, port), benchmark.folder, port)
        try:
            process.until_answered(bench_scale.FIRST_SECONDS)
        except RuntimeError as failure:
            say(str(failure))
        finally:
            process.stop()


def measure_part(part, options):
    """Runs one benchmark in a folder of its own, whose processes end with it."""
    folder = tempfile.mkdtemp(prefix="outrigger-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    started = []
    try:
        benchmark = part(options, folder)
        return benchmark, run(benchmark, options, started)
    except (RuntimeError, KeyboardInterrupt) as failure:
        sys.exit(f"bench: {failure or 'interrupted'}")
    finally:
        for process in reversed(started):
            process.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0], epilog=WITHOUT_PEERS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", help=argparse.SUPPRESS)
    parser.add_argument("name", choices=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="length of one measurement under load")
    parser.add_argument("--only", help="comma-separated proxies instead of all that are installed")
    parser.add_argument("--against", metavar="FOLDER", help="compare to another build, the folder of its distribution, instead of to other proxies")
    parser.add_argument("--files", action="store_true", help="startup, memory: from files instead of a control plane")
    parser.add_argument("--sizes", help="scale: comma-separated CLUSTERSxENDPOINTSxROUTES[:POLICY] instead of " + ",".join(bench_scale.SIZES))
    options = parser.parse_args()
    options.against = options.against and os.path.abspath(options.against)
    if options.against and not os.access(os.path.join(options.against, "bin/outrigger"), os.X_OK):
        parser.error(f"--against {options.against}: there is no bin/outrigger in it; name the folder that scripts/build makes")

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # thousands of connections
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not options.json:
        print(f"scripts/bench {options.name}: {os.cpu_count()} CPUs, one worker thread a proxy, medians of interleaved rounds")
    results, targets = {}, []
    for part in PARTS[options.name](options):
        benchmark, measured = measure_part(part, options)
        results.update(measured)
        targets += verdicts(benchmark, measured)
        if not options.json:
            table(benchmark, measured)
    if options.json:
        ratios = {
            shape: {name: {key: ratio(rows, name, key) for key in COMPARED if key in figures} for name, figures in rows.items()}
            for shape, rows in results.items()
        }
        targets = [
            {"shape": shape, "figure": title, "target": target, "reached": reached, "met": met}
            for shape, title, target, reached, met in targets
        ]
        document = {"benchmark": options.name, "cpus": os.cpu_count(), "reference": reference(next(iter(results.values()), {}))}
        print(json.dumps({**document, "results": results, "ratios": ratios, "targets": targets}, indent=2))
    if any(rows[OURS]["errors"] for rows in results.values() if OURS in rows):
        sys.exit("bench: outrigger answered some requests with errors")


if __name__ == "__main__":
    main()
