"""Load by h2load, and the backend that answers it."""

import os
import re
import subprocess
import time

import bench_peers
from bench_process import Process, free_port

PATH = "/orders.Orders/Get.grpc"
BULK = "/orders.Orders/Export.grpc"
MANY = "/orders.Orders/Page.grpc"
STREAMS = 64
GIB = 1 << 30
BODY_BYTES = 100
BODY = b"\0\0\0\0\x5f" + b"x" * 95
HEADERS = ["-H", "content-type: application/grpc", "-H", "te: trailers", "-H", "user-agent: bench"]


def wait_until_served(process, port, folder, tls=None, seconds=20):
    """Waits until one call is answered as it should be; says what was wrong when that does not come in time.

    With the certificates of tls the call is made over TLS.
    """
    until = time.monotonic() + seconds
    wrong = "no answer"
    while time.monotonic() < until and process.popen.poll() is None:
        wrong = reply_fault(port, folder, tls)
        if wrong is None:
            return None
        time.sleep(0.2)
    ended = process.popen.poll()
    return process.last_words() if ended is not None else f"{wrong}; its log ends: {process.last_words()}"


def reply_fault(port, folder, tls):
    """What is wrong with the answer to one call: it must be the backend's, with its body and its trailer."""
    secure = ["--key=" + tls.key("client"), "--cert=" + tls.chain("client")] if tls else []
    url = f"{'https' if tls else 'http'}://127.0.0.1:{port}{PATH}"
    command = ["nghttp", "-v", "-n", "-t", "5", *HEADERS, *secure, "-d", os.path.join(folder, "request"), url]
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


def bodiless(done):
    """How many calls of a load had no body: a failure of gRPC is a 200 without one."""
    return max(0, -(-(done["done"] * BODY_BYTES - done["body_bytes"]) // BODY_BYTES))


def percentiles(log):
    """Latencies of h2load's log, third column, as (p50, p99) in milliseconds."""
    with open(log, encoding="utf-8") as lines:
        micros = sorted(int(line.split("\t")[2]) for line in lines if line.count("\t") >= 2)
    if not micros:
        return 0.0, 0.0
    return micros[len(micros) // 2] / 1000, micros[min(len(micros) - 1, len(micros) * 99 // 100)] / 1000


def write_request(folder):
    """The body of every small call, as the file that load is told of."""
    with open(os.path.join(folder, "request"), "wb") as file:
        file.write(BODY)


def start_backend(folder, size, tls=None, host="127.0.0.1"):
    """nghttpd with a 100-byte answer, files for bulk, gRPC's content type and its trailer.

    With tls it speaks TLS and demands a certificate, whose issuer it does not check. On the host 0.0.0.0 it is the
    backend at every loopback address.
    """
    os.makedirs(os.path.join(folder, "www/orders.Orders"))
    for name, length in (("Get.grpc", BODY_BYTES), ("Export.grpc", size), ("Page.grpc", size // STREAMS)):
        with open(os.path.join(folder, "www/orders.Orders", name), "wb") as file:
            if length > 5:
                file.write(b"\0" + (length - 5).to_bytes(4, "big"))  # one message
            file.truncate(length)
    for link, name in (("bulk", "Export.grpc"), ("page", "Page.grpc")):
        os.symlink(os.path.join(folder, "www/orders.Orders", name), os.path.join(folder, link))
    write_request(folder)
    bench_peers.write(folder, "mime.types", "application/grpc grpc\n")
    port = free_port()
    command = ["nghttpd", "--verify-client" if tls else "--no-tls", "-a", host, "-d", os.path.join(folder, "www"), "-n", "1", "-m", "1000",
               "-w", "24", "-W", "24", "--trailer", "grpc-status: 0",
               "--mime-types-file=" + os.path.join(folder, "mime.types"), str(port)]
    if tls:
        command += [tls.key("server"), tls.chain("server")]
    return Process("backend", command, folder), port
