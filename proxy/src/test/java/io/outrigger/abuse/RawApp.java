package io.outrigger.abuse;

import io.netty.handler.codec.http2.Http2Headers;
import io.outrigger.base.WaitingClock;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** An app that counts its streams and says in a word what became of each. */
final class RawApp implements AutoCloseable {
  /**
   * A busy loop reads its sockets every few milliseconds; here attackers, sidecar and backend share
   * one process, which looks at every buffer, and perhaps two processors with other programs.
   */
  private static final Duration IN_TIME = Duration.ofSeconds(5);

  final RawHttp2 wire;
  private int nextId = 1;

  private RawApp(RawHttp2 wire) {
    this.wire = wire;
  }

  static RawApp connect(InetSocketAddress address, int... settings) throws Exception {
    return new RawApp(RawHttp2.open(address, settings));
  }

  /** One that calls for as long as it likes: a connection's first window is used up some time. */
  static RawApp neighbour(InetSocketAddress address) throws Exception {
    RawApp neighbour = connect(address);
    neighbour.wire.send(Frames.windowUpdate(0, 1 << 30));
    return neighbour;
  }

  /** The number of a stream that was not used yet. */
  int nextId() {
    nextId += 2;
    return nextId - 2;
  }

  /** Calls the sidecar with a good request: {@code 200} when all is well. */
  String call() throws Exception {
    int id = nextId();
    wire.send(Frames.wholeRequest(id));
    return outcome(id);
  }

  /**
   * The same; {@code too slow, after …} when it took longer than a neighbour of an attack waits.
   */
  String callInTime() throws Exception {
    long began = WaitingClock.nanoTime();
    String outcome = call();
    Duration time = Duration.ofNanos(WaitingClock.nanoTime() - began);
    return time.compareTo(IN_TIME) <= 0 ? outcome : "too slow, after " + time + ": " + outcome;
  }

  /**
   * Reads until {@code id} has ended: its {@code :status}, for gRPC {@code grpc-status N}, {@code
   * RST_STREAM ERROR}, or {@code GOAWAY ERROR} when the connection ended first.
   */
  String outcome(int id) throws Exception {
    String status = "";
    for (Optional<Frame> read = wire.read(); read.isPresent(); read = wire.read()) {
      Frame frame = read.get();
      Optional<Http2Headers> headers = Optional.empty();
      if (frame.type() == Frames.HEADERS) {
        headers = Optional.of(wire.decode(frame)); // of any stream: the table must stay in step
      }
      if (frame.type() == Frames.GOAWAY) {
        return "GOAWAY " + Http2Error.ofCode(frame.number(4));
      }
      if (frame.streamId() != id) {
        continue;
      }
      if (frame.type() == Frames.RST_STREAM) {
        return "RST_STREAM " + Http2Error.ofCode(frame.number(0));
      }
      if (headers.isPresent()) {
        status = statusOf(headers.get(), status);
      }
      if (frame.endsStream()) {
        return status;
      }
    }
    throw new IOException("closed without a word");
  }

  private static String statusOf(Http2Headers headers, String before) {
    CharSequence grpc = headers.get("grpc-status");
    if (grpc != null) {
      return "grpc-status " + grpc;
    }
    return headers.status() == null ? before : headers.status().toString();
  }

  @Override
  public void close() throws IOException {
    wire.close();
  }
}
