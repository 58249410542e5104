package io.outrigger.proxy.http2;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who of the quiet connections of an event loop is read when. Sockets are served in the order in
 * which they become readable: among thousands that begin to send at once, those who are being
 * served would wait for all of them. So of a connection that is new, or has not called for a
 * second, one byte is read first ({@link ReadTurn}), which tells that it has come; the rest when it
 * is its turn, {@value #AT_ONCE} of a crowd between two looks at all other sockets. Who comes alone
 * does not wait.
 *
 * <p>Who waits holds a socket and its account; time bounds run.
 */
@LoopConfined
final class Admission {
  private static final int AT_ONCE = 8;
  private static final long CROWD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final FastThreadLocal<@Nullable Admission> CURRENT = new FastThreadLocal<>();

  private final EventLoop loop;
  private final Queue<ReadGate> waiting = new ArrayDeque<>();
  private long since;
  private int admitted;

  private Admission(EventLoop loop) {
    this.loop = loop;
    since = loop.ticker().nanoTime();
  }

  /** The one of {@code loop}; call it there. */
  static Admission of(EventLoop loop) {
    Admission current = CURRENT.get();
    if (current == null || current.loop != loop) {
      current = new Admission(loop);
      CURRENT.set(current);
    }
    return current;
  }

  /** A quiet connection begins to send: it is read on at once, or held until its turn. */
  void ask(ReadGate connection) {
    long now = loop.ticker().nanoTime();
    if (waiting.isEmpty() && now - since >= CROWD_NANOS) {
      since = now;
      admitted = 0;
    }
    if (waiting.isEmpty() && admitted < AT_ONCE) {
      admitted++;
      return;
    }
    connection.hold();
    waiting.add(connection);
    if (waiting.size() == 1) {
      inNextTurn();
    }
  }

  /** A timer that is made in a turn rings in the next one; a task would still run in this one. */
  private void inNextTurn() {
    var unused = loop.schedule(this::admit, 1, TimeUnit.NANOSECONDS);
  }

  private void admit() {
    since = loop.ticker().nanoTime();
    admitted = 0;
    try {
      while (admitted < AT_ONCE && !waiting.isEmpty()) {
        if (waiting.remove().admit()) {
          admitted++;
        }
      }
    } finally {
      if (!waiting.isEmpty()) {
        inNextTurn(); // whatever became of one, the others have their turn
      }
    }
  }
}
