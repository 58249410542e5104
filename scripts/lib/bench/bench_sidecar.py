"""A sidecar under load for scripts/profile: says its process id once it is warm, then loads it for some seconds."""

import signal
import sys
from types import SimpleNamespace

import bench_peers
from bench_load import PATH, load, start_backend, wait_until_served
from bench_measures import Unary
from bench_process import Process, free_port


def main():
    root, folder, connections, streams, seconds = sys.argv[1:]
    started = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        backend, backend_port = start_backend(folder, 0)
        started.append(backend)
        port = free_port()
        process = Process("outrigger", bench_peers.COMMANDS["outrigger"](folder, root, port, backend_port), folder)
        started.append(process)
        wrong = wait_until_served(process, port, folder)
        if wrong is not None:
            sys.exit(f"outrigger does not serve: {wrong}")
        work = Unary(SimpleNamespace(quick=True, seconds=2), folder)
        work.warm(process, port)
        print("pid", process.popen.pid, flush=True)
        load(port, ["-D", f"{seconds}s", "-c", connections, "-m", streams, "-t", "1", "-d", work.request], PATH, int(seconds) + 30)
    finally:
        for process in reversed(started):
            process.stop()


if __name__ == "__main__":
    main()
