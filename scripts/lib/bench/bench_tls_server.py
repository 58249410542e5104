"""A gRPC backend over mutual TLS for scripts/bench tls: on many addresses, or ending each connection after one call.

It answers every call alike, resumes no session, and adds a byte to a file for each handshake that is done.
"""

import asyncio
import os
import ssl
import struct
import sys

from bench_client import ACK, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PREFACE, SETTINGS, Frames, frame, literal
from bench_load import BODY

MAX_CONCURRENT_STREAMS = 3
STATUS_200 = b"\x88"
HEAD = STATUS_200 + literal(b"content-type", b"application/grpc")
TRAILER = literal(b"grpc-status", b"0")


class Connection(asyncio.Protocol):
    """Server side of a connection whose handshake is done."""

    def __init__(self, count, ends):
        self.count = count
        self.ends = ends
        self.preface = len(PREFACE)
        self.frames = Frames()

    def connection_made(self, transport):
        os.write(self.count, b".")
        self.transport = transport
        transport.write(frame(SETTINGS, 0, 0, struct.pack(">HI", MAX_CONCURRENT_STREAMS, 1) if self.ends else b""))

    def data_received(self, data):
        skipped = min(self.preface, len(data))
        self.preface -= skipped
        reply, last = b"", 0
        for kind, flags, stream, _ in self.frames.feed(data[skipped:]):
            if kind == SETTINGS and not flags & ACK:
                reply += frame(SETTINGS, ACK, 0)
            elif kind in (HEADERS, DATA) and flags & END_STREAM:
                reply += frame(HEADERS, END_HEADERS, stream, HEAD) + frame(DATA, 0, stream, BODY)
                reply += frame(HEADERS, END_HEADERS | END_STREAM, stream, TRAILER)
                last = stream
        if last and self.ends:
            reply += frame(GOAWAY, 0, 0, struct.pack(">II", last, 0))
        if reply:
            self.transport.write(reply)
        if last and self.ends:
            self.transport.close()


async def serve(context, hosts, port, connection):
    server = await asyncio.get_running_loop().create_server(connection, hosts, port, ssl=context, backlog=1024)
    await server.serve_forever()


def main():
    chain, key, roots, count, ends, port, hosts = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    context.load_verify_locations(roots)
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(["h2"])
    context.options |= ssl.OP_NO_TICKET
    context.num_tickets = 0
    descriptor = os.open(count, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    asyncio.run(serve(context, hosts.split(","), int(port), lambda: Connection(descriptor, ends == "ends")))


if __name__ == "__main__":
    main()
