package io.outrigger.proxy.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One port for plain text and for TLS, as istio's permissive mode has it: what begins with a TLS
 * record goes to one server, all else to another.
 */
final class PermissivePort implements AutoCloseable {
  private static final int TLS_HANDSHAKE = 0x16;

  private final ServerSocket server;
  private final int plain;
  private final int tls;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

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
      int first = client.getInputStream().read();
      if (first < 0) {
        client.close();
        return;
      }
      var backend =
          new Socket(InetAddress.getLoopbackAddress(), first == TLS_HANDSHAKE ? tls : plain);
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
