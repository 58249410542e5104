package io.outrigger.abuse;

import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;

/** A backend that says whatever a test likes. */
final class RawBackend implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final ServerSocket port;

  RawBackend() throws IOException {
    port = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    port.setSoTimeout(PATIENCE_MILLIS);
  }

  int port() {
    return port.getLocalPort();
  }

  /** The next connection, with SETTINGS exchanged. */
  RawHttp2 accept(int... settings) throws IOException {
    return RawHttp2.accept(port.accept(), settings);
  }

  /** Waits for a request; its stream. */
  static int awaitRequest(RawHttp2 wire) throws IOException {
    return wire.await(frame -> frame.type() == Frames.HEADERS).streamId();
  }

  /**
   * What the sidecar says to an error: {@code RST_STREAM ERROR} of stream {@code id}, {@code GOAWAY
   * ERROR}, or {@code CLOSED}.
   */
  static String verdict(RawHttp2 wire, int id) throws IOException {
    for (Optional<Frame> read = wire.read(); read.isPresent(); read = wire.read()) {
      Frame frame = read.get();
      if (frame.type() == Frames.RST_STREAM && frame.streamId() == id) {
        return "RST_STREAM " + Http2Error.ofCode(frame.number(0));
      }
      if (frame.type() == Frames.GOAWAY) {
        return "GOAWAY " + Http2Error.ofCode(frame.number(4));
      }
    }
    return "CLOSED";
  }

  @Override
  public void close() throws IOException {
    port.close();
  }
}
