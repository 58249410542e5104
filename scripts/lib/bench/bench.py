"""Compares proxies by CPU per request, rate, latency, throughput, start, memory and scale. Run through scripts/bench.

Every round starts each proxy anew, since two starts of one JVM differ by more than most changes do: what is compiled, and how,
is decided anew. The proxies of a round are warmed by the same calls and then take turns, idle but for the one under load (or
one after the other where the start is what counts), so that a noisy machine is unfair to all alike. CPU time is that of the
proxy's processes alone, read from /proc. Only processes that were started here are ever ended.
"""

import argparse
import itertools
import json
import math
import os
import statistics
import sys

import bench_mesh
import bench_peers
import bench_scale
import bench_serve
import bench_tls
from bench_load import wait_until_served
from bench_measures import BENCHMARKS
from bench_process import Process, free_port, workplace

ENVOY = "envoy"
OURS = "outrigger"
PARTS = {**{name: lambda _, parts=parts: parts for name, parts in {**BENCHMARKS, "tls": bench_tls.PARTS, "serve": bench_serve.PARTS}.items()},
         "scale": bench_scale.parts}
COMPARED = ("cpu_us", "rate", "p50_ms", "p99_ms", "cpu_s_per_gib", "mib_per_s", "wall_ms", "cpu_ms", "idle_mib", "loaded_mib",
            "handshake_ms", "connect_ms", "connected_mib", "first_ms", "rss_mib", "change_cpu_ms", "change_ms", "alone_cpu_ms", "alone_ms")
ROUNDS_AGAINST = 2  # so many times the rounds, where two builds are compared, which differ less than proxies do
EPILOG = """\
minutes on two quiet cores, beside all proxies, and with --against:
  unary 20, 12; latency 14, 7; streaming 4, 3; startup 2, 1; memory 6, 8; tls 15, 20; serve 18, 25; --quick a quarter

"--only outrigger,envoy,netty" measures unary, latency, streaming, tls and serve beside a plain proxy of Netty's own parts
(NettyProxy.java), which has nothing of what Outrigger is for. It needs Java 24. Its start and memory are not measured, because the JVM
compiles it from source.

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


def start_all(benchmark, options, names, backend, started):
    """The proxies that came up, warm, as name -> (process, port); says why others did not. Without Outrigger it ends."""
    running = {}
    for name in names:
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
            say(f"{name} does not serve: {wrong}; left out of this round")
    for name, (process, port) in running.items():
        say(f"  warming {name}")
        benchmark.warm(process, port)
    return running


def command_of(benchmark, options, name, port, backend):
    """How a peer is started; another build of Outrigger as the one at hand is."""
    if name == bench_peers.BEFORE:
        ours = benchmark.command(OURS, options.root, port, backend)
        return [os.path.join(options.against, "bin/outrigger"), *ours[1:]]
    return benchmark.command(name, options.root, port, backend)


def say(text):
    print(text, file=sys.stderr, flush=True)


def summary(samples):
    """Medians over the starts; of what must not happen, the worst of them."""
    taken = list(samples.values())
    return {key: (max if key in WORST else statistics.median)(each[key] for each in taken) for key in taken[0]}


def reference(rows):
    """Whom the others are compared to: another build where there is one, else Envoy."""
    return bench_peers.BEFORE if bench_peers.BEFORE in rows else ENVOY


def ratio(rows, name, key):
    """How a proxy's figure compares to the reference's in the rounds that have both, as (estimate, lower, upper); None without any.

    The estimate is the median of the means of each two rounds (Hodges and Lehmann), and from six rounds on the true ratio is
    between the bounds 19 times of 20 (Wilcoxon's signed ranks): one round that was disturbed changes little.
    """
    base = rows.get(reference(rows), {})
    each = [sample[key] / base[number][key] for number, sample in rows[name].items() if base.get(number, {}).get(key) and key in sample]
    if not each or key not in COMPARED:
        return None
    means = sorted(math.sqrt(a * b) for a, b in itertools.combinations_with_replacement(each, 2))
    count = len(each)
    beyond = max(0, int(len(means) / 2 - 1.96 * math.sqrt(len(means) * (2 * count + 1) / 12) - 0.5))
    return statistics.median(means), means[beyond], means[-1 - beyond]


def verdicts(benchmark, results):
    """Each target with what was reached: (shape, column title, target in words, reached, met)."""
    titles = {key: title for key, title, _ in benchmark.columns}
    found = []
    for shape, key, sign, limit in benchmark.targets:
        rows = results.get(shape, {})
        compared = ratio(rows, OURS, key) if OURS in rows and reference(rows) == ENVOY else None
        if compared is not None:
            met = compared[0] <= limit if sign == "<=" else compared[0] >= limit
            found.append((shape, titles[key], f"{sign} {limit:g} x {ENVOY}", compared[0], met))
    for shape, key, limit in benchmark.limits:
        if OURS in results.get(shape, {}):
            reached = summary(results[shape][OURS])[key]
            found.append((shape, titles[key], f"<= {limit:g}", reached, reached <= limit))
    return found


def table(benchmark, results):
    """One block of lines per shape: medians with ratios, what the starts had, and the bounds of the ratios; then the targets."""
    for shape, rows in results.items():
        print(f"\n{shape}")
        print("  " + "proxy".ljust(12) + "".join(title.rjust(17) for _, title, _ in benchmark.columns))
        for name, samples in rows.items():
            medians, lines = summary(samples), {name: [], "  starts": [], "  ratio": []}
            for key, _, form in benchmark.columns:
                taken = [sample[key] for sample in samples.values() if key in sample]
                compared = ratio(rows, name, key) if name != reference(rows) else None
                lines[name].append(form.format(medians[key]) + (f" ({compared[0]:.2f})" if compared else "") if taken else "-")
                lines["  starts"].append(f"{form.format(min(taken))} to {form.format(max(taken))}" if taken else "")
                lines["  ratio"].append(f"{compared[1]:.2f} to {compared[2]:.2f}" if compared else "")
            for label, cells in lines.items():
                if label == name or (len(samples) > 1 and any(cells)):
                    print(("  " + label.ljust(12) + "".join(cell.rjust(17) for cell in cells)).rstrip())
    if benchmark.notes:
        print("\n" + benchmark.notes)
    for name in {reference(rows) for rows in results.values() if reference(rows) in rows}:  # one at most
        print(f"\nIn brackets: the ratio to {name} in the same rounds; below: the least and the most of all starts, and the bounds of the\n"
              "ratio, from six rounds on right 19 times of 20. Where they include 1.00, the rounds show no difference.")
    judged = verdicts(benchmark, results)
    if judged:
        width = max(len(f"{shape}, {title}") for shape, title, _, _, _ in judged)
        print(f"\nTargets of {OURS}")
        for shape, title, target, reached, met in judged:
            print(f"  {f'{shape}, {title}'.ljust(width)}  {target.ljust(16)} {reached:7.2f}  {'met' if met else 'MISSED'}")


def chosen(benchmark, options):
    """Whom to measure, of those that are installed."""
    names = options.only.split(",") if options.only else [OURS] if options.against else benchmark.peers
    known = [*bench_peers.COMMANDS, bench_peers.NETTY, bench_mesh.PROXYLESS]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"bench: unknown proxy {unknown[0]}; known: {', '.join(known)}")
    installed = []
    for name in filter([*benchmark.peers, *benchmark.on_request].__contains__, names):
        if name in (*bench_peers.BUILDS, bench_peers.NETTY, bench_mesh.PROXYLESS) or bench_peers.binary(name) is not None:
            installed.append(name)
        else:
            say(f"{name} is not installed ({bench_peers.INSTALL[name]}); left out")
    return installed + [bench_peers.BEFORE] if options.against else installed


def run(benchmark, options, started):
    """The figures of every shape, as title -> name -> number of the round -> figures."""
    names = chosen(benchmark, options)
    if not names:
        sys.exit("bench: no proxy runs")
    backend, backend_port = benchmark.start_backend()
    started.append(backend)
    wrong = wait_until_served(backend, backend_port, benchmark.folder, benchmark.tls)
    if wrong is not None:
        raise RuntimeError(f"the backend does not serve: {wrong}")
    started += benchmark.start_mesh(options.root, backend_port)
    if benchmark.mesh:
        benchmark.mesh.is_ready()
        warm_mesh(benchmark, options, names, backend_port)
    rounds = options.rounds or benchmark.rounds[0 if options.quick else 1] * (ROUNDS_AGAINST if options.against else 1)
    results = {title: {name: {} for name in names} for title, _ in benchmark.shapes()}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        of_round = []
        try:
            measure_round(benchmark, options, names, backend_port, number, of_round, results)
        finally:
            for process in reversed(of_round):
                process.stop()
    return {title: {name: samples for name, samples in rows.items() if samples} for title, rows in results.items()}


def measure_round(benchmark, options, names, backend, number, started, results):
    """Every shape once on every proxy; nobody is always first, neither in a round nor in a shape."""
    running = None if benchmark.fresh else start_all(benchmark, options, turned(names, number), backend, started)
    for place, (title, shape) in enumerate(benchmark.shapes()):
        for name in turned(names, number + place):
            if running is None:
                figures = measure_start(benchmark, options, name, backend, shape)
            else:
                figures = shape(*running[name]) if name in running else None
            if figures:
                results[title][name][number] = figures


def turned(names, places):
    places %= len(names)
    return names[places:] + names[:places]


def measure_start(benchmark, options, name, backend, shape):
    """The figures of a proxy that the shape starts itself, on its own; ours through scripts/outrigger, unless builds are compared."""
    say(f"  {name}")
    port = free_port()
    command = command_of(benchmark, options, name, port, backend)
    if name == OURS and not options.against:
        command[0] = os.path.join(options.root, "scripts/outrigger")
    try:
        return shape(name, command, port)
    except RuntimeError as failure:
        if name in bench_peers.BUILDS:
            raise
        say(f"{failure}; left out of this round")
        return None


def warm_mesh(benchmark, options, names, backend):
    """Lets each peer start once beforehand: a control plane that has just started is slow to those that ask it first."""
    for name in filter([*bench_mesh.PEERS, bench_peers.BEFORE].__contains__, names):
        say(f"warming the control plane: {name}")
        port = free_port()
        process = bench_mesh.start(name, command_of(benchmark, options, name, port, backend), benchmark.folder, port)
        try:
            process.until_answered(bench_scale.FIRST_SECONDS)
        except RuntimeError as failure:
            say(str(failure))
        finally:
            process.stop()


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0], epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", help=argparse.SUPPRESS)
    parser.add_argument("name", choices=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--rounds", type=int, help="how often each proxy is started anew")
    parser.add_argument("--seconds", type=float, help="length of one measurement under load")
    parser.add_argument("--only", help="comma-separated proxies instead of all that are installed")
    parser.add_argument("--against", metavar="FOLDER", help="compare to another build, the folder of its distribution, instead of to other proxies")
    parser.add_argument("--files", action="store_true", help="startup, memory: from files instead of a control plane")
    parser.add_argument("--sizes", help="scale: comma-separated CLUSTERSxENDPOINTSxROUTES[:POLICY] instead of " + ",".join(bench_scale.SIZES))
    options = parser.parse_args()
    options.against = options.against and os.path.abspath(options.against)
    if options.against and not os.access(os.path.join(options.against, "bin/outrigger"), os.X_OK):
        parser.error(f"--against {options.against}: there is no bin/outrigger in it; name the folder that scripts/build makes")

    if not options.json:
        print(f"scripts/bench {options.name}: {os.cpu_count()} CPUs, one worker thread a proxy, medians of starts in turn")
    results, targets = {}, []
    for part in PARTS[options.name](options):
        with workplace() as (folder, started):
            benchmark = part(options, folder)
            measured = run(benchmark, options, started)
        results.update(measured)
        targets += verdicts(benchmark, measured)
        if not options.json:
            table(benchmark, measured)
    if options.json:
        ratios = {
            shape: {name: {key: ratio(rows, name, key) for key in next(iter(samples.values()))} for name, samples in rows.items()}
            for shape, rows in results.items()
        }
        targets = [
            {"shape": shape, "figure": title, "target": target, "reached": reached, "met": met}
            for shape, title, target, reached, met in targets
        ]
        print(json.dumps({
            "benchmark": options.name, "cpus": os.cpu_count(), "reference": reference(next(iter(results.values()), {})),
            "results": {shape: {name: summary(samples) for name, samples in rows.items()} for shape, rows in results.items()},
            "starts": {shape: {name: list(samples.values()) for name, samples in rows.items()} for shape, rows in results.items()},
            "ratios": ratios, "targets": targets,
        }, indent=2))
    if any(summary(rows[OURS])["errors"] for rows in results.values() if OURS in rows):
        sys.exit("bench: outrigger answered some requests with errors")


if __name__ == "__main__":
    main()
