"""Processes that a benchmark starts, and what they use of the machine, read from /proc."""

import contextlib
import os
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")
CPUCLOCK_SCHED = 2  # the clock of a process by its id, as clock_getcpuclockid(3) makes it on Linux


class Process:
    """A process group that was started here, with its own output file."""

    def __init__(self, name, command, folder):
        self.name = name
        self.log = os.path.join(folder, name + ".log")
        self.begun = time.monotonic()
        with open(self.log, "wb") as log:
            self.popen = self.open(command, log)

    def open(self, command, log):
        return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

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

    def cpu_seconds(self, ended=False):
        """CPU time so far; with ended, that of helpers which have ended as well, to a hundredth."""
        total = 0
        for pid in self.pids():
            try:
                total += time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)
                with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                    fields = stat.read().rpartition(")")[2].split()
            except OSError:
                continue
            total += sum(int(ticks) for ticks in fields[13:15]) / TICKS if ended else 0
        return total

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


class Conversation(Process):
    """A process that is talked to in lines; its log has what it says on stderr."""

    def open(self, command, log):
        self.heard = b""
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.PIPE, start_new_session=True)

    def say(self, line):
        self.popen.stdin.write(line.encode() + b"\n")
        self.popen.stdin.flush()

    def hear(self, seconds):
        """The next line that it says; RuntimeError when none comes."""
        until = time.monotonic() + seconds
        pipe = self.popen.stdout.fileno()
        while b"\n" not in self.heard:
            if not select.select([pipe], [], [], max(0, until - time.monotonic()))[0]:
                raise RuntimeError(f"{self.name} says nothing within {seconds} s; its log ends: {self.last_words()}")
            data = os.read(pipe, 65536)
            if not data:
                raise RuntimeError(f"{self.name} has ended: {self.last_words()}")
            self.heard += data
        line, _, self.heard = self.heard.partition(b"\n")
        return line.decode()

    def stop(self):
        super().stop()
        self.popen.stdin.close()
        self.popen.stdout.close()


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


@contextlib.contextmanager
def workplace():
    """A folder, and a list for what is started there: both end with the block, also when that fails or is interrupted."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # thousands of connections
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    folder = tempfile.mkdtemp(prefix="outrigger-bench-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    started = []
    try:
        yield folder, started
    except (RuntimeError, KeyboardInterrupt) as failure:
        sys.exit(f"bench: {failure or 'interrupted'}")
    finally:
        for process in reversed(started):
            process.stop()
        shutil.rmtree(folder, ignore_errors=True)
