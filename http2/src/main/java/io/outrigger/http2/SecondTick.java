package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.outrigger.base.LoopConfined;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Calls each connection of one event loop once a second, so that a time limit of a peer needs no
 * timer of its own. The loop would wake up ten thousand times a second for the timers of ten
 * thousand connections.
 */
@LoopConfined
final class SecondTick {
  /** A connection that is called once a second. */
  interface Ticking {
    void onTick(long nowNanos);
  }

  private final EventLoop loop;
  private final Set<Ticking> connections = new LinkedHashSet<>();
  private boolean isScheduled;

  SecondTick(EventLoop loop) {
    this.loop = loop;
  }

  void add(Ticking connection) {
    connections.add(connection);
    schedule();
  }

  void remove(Ticking connection) {
    connections.remove(connection);
  }

  private void schedule() {
    if (!isScheduled) {
      isScheduled = true;
      try {
        var unused = loop.schedule(this::tick, 1, TimeUnit.SECONDS);
      } catch (RejectedExecutionException stopped) {
        // the process ends
      }
    }
  }

  private void tick() {
    isScheduled = false;
    long now = loop.ticker().nanoTime();
    for (Ticking connection : List.copyOf(connections)) { // a connection may close
      connection.onTick(now);
    }
    if (!connections.isEmpty()) {
      schedule();
    }
  }
}
