package io.outrigger.proxy.downstream;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop that were accepted and are not read from yet. Sockets are
 * served in the order in which they become readable: among thousands that connect and send at once,
 * each of whose first bytes make buffers, tables and timers, those who are being served would wait
 * for all of them. So a crowd is taken up {@value #AT_ONCE} a millisecond; who comes alone does not
 * wait.
 *
 * <p>Who waits holds a socket and its account; the time bound of the preface runs.
 */
@LoopConfined
final class Newcomers {
  private static final int AT_ONCE = 8;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final FastThreadLocal<@Nullable Newcomers> CURRENT = new FastThreadLocal<>();

  private final EventLoop loop;
  private final Queue<Channel> waiting = new ArrayDeque<>();
  private long admittedAt;
  private int admitted;

  private Newcomers(EventLoop loop) {
    this.loop = loop;
    admittedAt = loop.ticker().nanoTime();
  }

  /** Those of {@code loop}; call it there. */
  static Newcomers of(EventLoop loop) {
    Newcomers current = CURRENT.get();
    if (current == null || current.loop != loop) {
      current = new Newcomers(loop);
      CURRENT.set(current);
    }
    return current;
  }

  /** {@code channel} is accepted; it is read from at once, or when its turn comes. */
  void add(Channel channel) {
    long now = loop.ticker().nanoTime();
    if (now - admittedAt >= PAUSE_NANOS && waiting.isEmpty()) {
      admittedAt = now;
      admitted = 0;
    }
    if (admitted < AT_ONCE) {
      admitted++;
      return;
    }
    channel.config().setAutoRead(false);
    waiting.add(channel);
    if (waiting.size() == 1) {
      admitLater();
    }
  }

  private void admitLater() {
    var unused = loop.schedule(this::admit, PAUSE_NANOS, TimeUnit.NANOSECONDS);
  }

  private void admit() {
    admittedAt = loop.ticker().nanoTime();
    admitted = 0;
    while (admitted < AT_ONCE && !waiting.isEmpty()) {
      Channel next = waiting.remove();
      if (next.isOpen()) {
        admitted++;
        next.config().setAutoRead(true);
      }
    }
    if (!waiting.isEmpty()) {
      admitLater();
    }
  }
}
