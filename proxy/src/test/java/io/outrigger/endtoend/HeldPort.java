package io.outrigger.endtoend;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;

/**
 * A port before a backend that passes on what clients say, and what the backend says only later.
 */
final class HeldPort implements AutoCloseable {
  private final Backend backend;
  private final CountDownLatch released = new CountDownLatch(1);
  private final AcceptingPort port = new AcceptingPort(this::hold);

  HeldPort(Backend backend) {
    this.backend = backend;
  }

  int port() {
    return port.number();
  }

  /** Whether a backend has a client. */
  boolean isHolding() {
    return backend.openConnections() > 0;
  }

  /** From now on all goes through. */
  void release() {
    released.countDown();
  }

  private void hold(Socket client) throws IOException {
    Socket to = port.connect(backend.port());
    AcceptingPort.daemon(() -> AcceptingPort.pipe(client, to));
    try {
      released.await();
      AcceptingPort.pipe(to, client);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    release();
    port.close();
  }
}
