"""An HTTP/2 client of a few frames, for what h2load cannot do: the very first reply, header values that are new with
every request, and connections that do nothing. It reads frames, not header blocks: a reply counts by its body."""

import os
import select
import socket
import ssl
import struct
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
MAX_WINDOW = (1 << 31) - 1
FRAME_HEADER = 9


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value, indexing=0x00):
    """A field with its name in full: not indexed, or added to the dynamic table with 0x40 (RFC 7541 section 6.2)."""
    return bytes([indexing, len(name)]) + name + bytes([len(value)]) + value


def request_fields(path):
    return b"\x83\x86" + literal(b":path", path) + literal(b":authority", b"orders")


GRPC_FIELDS = [(b"content-type", b"application/grpc"), (b"te", b"trailers"), (b"user-agent", b"bench")]


def head(path):
    """The header block of a gRPC request, of literals alone."""
    return request_fields(path) + b"".join(literal(name, value) for name, value in GRPC_FIELDS)


OPENING = (
    PREFACE
    + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, MAX_WINDOW))
    + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", MAX_WINDOW - 65535))
)


class Frames:
    """Cuts what a socket received into frames."""

    def __init__(self):
        self.buffer = b""

    def feed(self, data):
        """The (kind, flags, stream, length) of every frame that is now complete."""
        buffer = self.buffer + data if self.buffer else data
        position, frames = 0, []
        while len(buffer) - position >= FRAME_HEADER:
            length = buffer[position] << 16 | buffer[position + 1] << 8 | buffer[position + 2]
            if len(buffer) - position < FRAME_HEADER + length:
                break
            kind, flags, stream = buffer[position + 3], buffer[position + 4], struct.unpack_from(">I", buffer, position + 5)[0]
            frames.append((kind, flags, stream, length))
            position += FRAME_HEADER + length
        self.buffer = buffer[position:]
        return frames


def connect(port, tls=None, seconds=10):
    """A connection; with a context, one whose handshake is done."""
    plain = socket.create_connection(("127.0.0.1", port), timeout=seconds)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return tls.wrap_socket(plain) if tls else plain


def receive(connection):
    """What has come, of TLS all that was decrypted with it; nothing at the end."""
    data = connection.recv(262144)
    while isinstance(connection, ssl.SSLSocket) and connection.pending():
        data += connection.recv(262144)
    return data


def first_reply(port, path, body, wanted, seconds=10, tls=None):
    """One call on a connection of its own: whether the reply had a body of the wanted length.

    OSError: nobody is there, or nothing comes for so many seconds.
    """
    with connect(port, tls, seconds) as connection:
        connection.sendall(OPENING + frame(HEADERS, END_HEADERS, 1, head(path)) + frame(DATA, END_STREAM, 1, body))
        frames, received = Frames(), 0
        while True:
            data = connection.recv(65536)
            if not data:
                raise OSError("closed")
            for kind, flags, stream, length in frames.feed(data):
                if stream == 1:
                    received += length if kind == DATA else 0
                    if kind == RST_STREAM or (kind in (DATA, HEADERS) and flags & END_STREAM):
                        return received == wanted


class TracedConnection:
    """A connection that keeps a number of calls going, each with trace headers of its own.

    They are added to the dynamic table, as gRPC's own encoders do, so that nothing of a header block can be recognised
    and the tables on both sides turn over all the time. The other fields are literals.
    """

    def __init__(self, port, path, body, streams, tls=None):
        self.socket = connect(port, tls)
        self.frames = Frames()
        self.fixed = head(path)
        self.body = body
        self.next = 1
        self.done = self.failed = self.bodies = 0
        self.socket.sendall(OPENING + self.calls(streams))

    def calls(self, count):
        noise, parts = os.urandom(24 * count).hex().encode(), []
        for i in range(count):
            unique = noise[48 * i : 48 * i + 48]
            trace = b"00-" + unique[:32] + b"-" + unique[32:] + b"-01"
            fields = self.fixed + literal(b"traceparent", trace, 0x40) + literal(b"x-request-id", unique[:36], 0x40)
            parts.append(frame(HEADERS, END_HEADERS, self.next, fields))
            parts.append(frame(DATA, END_STREAM, self.next, self.body))
            self.next += 2
        return b"".join(parts)

    def on_readable(self, more):
        data = receive(self.socket)
        if not data:
            raise RuntimeError("the proxy closed a connection")
        ended, reply = 0, b""
        for kind, flags, _, length in self.frames.feed(data):
            if kind == DATA:
                self.bodies += length
                ended += flags & END_STREAM
            elif kind == HEADERS:
                ended += flags & END_STREAM
            elif kind == RST_STREAM:
                ended += 1
                self.failed += 1
            elif kind == SETTINGS and not flags & ACK:
                reply += frame(SETTINGS, ACK, 0)
            elif kind == GOAWAY:
                raise RuntimeError("the proxy said GOAWAY")
        self.done += ended
        if more and ended:
            reply += self.calls(ended)
        if reply:
            self.socket.sendall(reply)


def traced_load(port, path, body, connections, streams, seconds, reply_bytes):
    """Closed loop for some seconds; (calls done, calls without the whole body)."""
    every = [TracedConnection(port, path, body, streams) for _ in range(connections)]
    by_descriptor = {connection.socket.fileno(): connection for connection in every}
    poll = select.epoll()
    for descriptor in by_descriptor:
        poll.register(descriptor, select.EPOLLIN)
    until = time.monotonic() + seconds
    last = until + 10
    while any(connection.done * 2 + 1 < connection.next for connection in every):
        now = time.monotonic()
        if now > last:
            raise RuntimeError("calls did not end within 10 s")
        for descriptor, _ in poll.poll(1):
            by_descriptor[descriptor].on_readable(now < until)
    poll.close()
    for connection in every:
        connection.socket.close()
    done = sum(connection.done for connection in every)
    whole = sum(connection.bodies for connection in every) // reply_bytes
    return done, done - whole + sum(connection.failed for connection in every)


def idle_connections(port, count, tls=None):
    """Connections, with TLS where a context for it is given, that have exchanged SETTINGS and do nothing more; the caller closes them."""
    made = []
    for _ in range(count):
        connection = connect(port, tls)
        connection.sendall(OPENING)
        made.append(connection)
    for connection in made:
        frames, known = Frames(), []
        while not any(kind == SETTINGS and not flags & ACK for kind, flags, _, _ in known):
            data = connection.recv(4096)
            if not data:
                raise RuntimeError("the proxy closed a connection")
            known += frames.feed(data)
        connection.sendall(frame(SETTINGS, ACK, 0))
    return made
