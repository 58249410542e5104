package io.outrigger.proxy.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One port for plain text and for TLS, as istio's permissive mode has it: what begins with a TLS
 * record goes to one server, all else to another; how each connection begins is counted.
 */
final class PermissivePort implements AutoCloseable {
  private static final byte[] TLS_HANDSHAKE = {0x16, 0x03};
  private static final byte[] HTTP_2_PREFACE = {'P', 'R'};

  private final ServerSocket server;
  private final int plain;
  private final int tls;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  private final AtomicInteger plainConnections = new AtomicInteger();
  private final AtomicInteger otherConnections = new AtomicInteger();

  PermissivePort(Backend plain, Backend tls) {
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.plain = plain.port();
    this.tls = tls.port();
    HttpProxy.daemon(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** How many have begun with the preface of HTTP/2. */
  int plainConnections() {
    return plainConnections.get();
  }

  /** How many have begun neither so nor with a TLS record. */
  int otherConnections() {
    return otherConnections.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        sockets.add(client);
        HttpProxy.daemon(() -> serve(client));
      }
    } catch (IOException closed) {
      return; // the end of the test
    }
  }

  private void serve(Socket client) {
    try {
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
      var backend = new Socket(InetAddress.getLoopbackAddress(), isTls ? tls : plain);
      sockets.add(backend);
      backend.getOutputStream().write(first);
      HttpProxy.daemon(() -> HttpProxy.pipe(backend, client));
      HttpProxy.pipe(client, backend);
    } catch (IOException gone) {
      return; // either side left
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
