package io.outrigger.endtoend;

import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One port for plain text and for TLS, as istio's permissive mode has it: what begins with a TLS
 * record goes to one server, all else to another; how each connection begins is counted.
 */
final class PermissivePort implements AutoCloseable {
  private static final byte[] TLS_HANDSHAKE = {0x16, 0x03};
  private static final byte[] HTTP_2_PREFACE = {'P', 'R'};

  private final int plain;
  private final int tls;
  private final AtomicInteger plainConnections = new AtomicInteger();
  private final AtomicInteger otherConnections = new AtomicInteger();
  private final AcceptingPort port = new AcceptingPort(this::serve);

  PermissivePort(Backend plain, Backend tls) {
    this.plain = plain.port();
    this.tls = tls.port();
  }

  int port() {
    return port.number();
  }

  /** How many have begun with the preface of HTTP/2. */
  int plainConnections() {
    return plainConnections.get();
  }

  /** How many have begun neither so nor with a TLS record. */
  int otherConnections() {
    return otherConnections.get();
  }

  private void serve(Socket client) throws IOException {
    byte[] first = client.getInputStream().readNBytes(TLS_HANDSHAKE.length);
    if (first.length < TLS_HANDSHAKE.length) {
      client.close();
      return;
    }
    boolean isTls = Arrays.equals(first, TLS_HANDSHAKE);
    if (!isTls) {
      boolean isPlain = Arrays.equals(first, HTTP_2_PREFACE);
      (isPlain ? plainConnections : otherConnections).incrementAndGet();
    }
    Socket backend = port.connect(isTls ? tls : plain);
    backend.getOutputStream().write(first);
    AcceptingPort.daemon(() -> AcceptingPort.pipe(backend, client));
    AcceptingPort.pipe(client, backend);
  }

  @Override
  public void close() throws IOException {
    port.close();
  }
}
