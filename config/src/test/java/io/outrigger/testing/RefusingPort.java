package io.outrigger.testing;

import io.outrigger.base.WaitingClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/**
 * A loopback port that refuses connections: it is bound, so that nobody else is given it, and does
 * not listen. A port that was merely closed goes to any later server of the process with a chance
 * of one in fourteen thousand each.
 */
public final class RefusingPort implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(5);

  private final Socket holder;

  private RefusingPort(Socket holder) {
    this.holder = holder;
  }

  /** Takes a free port. */
  public static RefusingPort any() {
    try {
      return new RefusingPort(bound(InetAddress.getLoopbackAddress(), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes the port of a server that has been closed: its selector lets go of it a little later. */
  public static RefusingPort at(int port) {
    return at(InetAddress.getLoopbackAddress(), port);
  }

  /** The same of another address of this machine. */
  public static RefusingPort at(InetAddress address, int port) {
    long start = WaitingClock.nanoTime();
    while (true) {
      try {
        return new RefusingPort(bound(address, port));
      } catch (IOException inUse) {
        if (WaitingClock.nanoTime() - start > PATIENCE.toNanos()) {
          throw new UncheckedIOException(inUse);
        }
        WaitingClock.sleep(POLL);
      }
    }
  }

  private static Socket bound(InetAddress address, int port) throws IOException {
    var socket = new Socket();
    try {
      socket.setReuseAddress(true); // connections of a server that was there may linger
      socket.bind(new InetSocketAddress(address, port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  public int number() {
    return holder.getLocalPort();
  }

  /** Gives the port back; a server may listen on it at once. */
  @Override
  public void close() {
    try {
      holder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
