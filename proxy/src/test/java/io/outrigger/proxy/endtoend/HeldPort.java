package io.outrigger.proxy.endtoend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * A port before a backend that passes on what clients say, and what the backend says only later.
 */
final class HeldPort implements AutoCloseable {
  private final ServerSocket server;
  private final Backend backend;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final CountDownLatch released = new CountDownLatch(1);

  HeldPort(Backend backend) {
    this.backend = backend;
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    HttpProxy.daemon(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Whether a backend has a client. */
  boolean isHolding() {
    return backend.openConnections() > 0;
  }

  /** From now on all goes through. */
  void release() {
    released.countDown();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = server.accept();
        var to = new Socket(InetAddress.getLoopbackAddress(), backend.port());
        sockets.add(client);
        sockets.add(to);
        HttpProxy.daemon(() -> HttpProxy.pipe(client, to));
        HttpProxy.daemon(() -> passLater(to, client));
      }
    } catch (IOException closed) {
      return; // the end of the test
    }
  }

  private void passLater(Socket from, Socket to) {
    try {
      released.await();
      HttpProxy.pipe(from, to);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    release();
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
