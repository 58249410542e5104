package io.outrigger.proxy.http2;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out that a peer has died silently: when nothing was read for a while although streams are
 * open, a PING is sent, and if still nothing is read the connection is lost. No clock is read per
 * frame; a silence is noticed after one to two periods.
 */
@LoopConfined
final class KeepAlive {
  /** Who asks the peer, and gives it up. */
  interface Prober {
    void sendKeepAlivePing();

    void onKeepAliveTimeout();
  }

  private final Prober prober;
  private final StreamTable table;
  private final EventLoop loop;
  private final Duration time;
  private final Duration timeout;
  private boolean heard;
  private boolean asked;
  private @Nullable ScheduledFuture<?> timer;

  KeepAlive(Prober prober, StreamTable table, EventLoop loop, Duration time, Duration timeout) {
    this.prober = prober;
    this.table = table;
    this.loop = loop;
    this.time = time;
    this.timeout = timeout;
  }

  void start() {
    arm(time);
  }

  void onRead() {
    heard = true;
  }

  void stop() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void arm(Duration delay) {
    timer = loop.schedule(this::onTimer, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void onTimer() {
    if (heard || table.active() == 0) {
      heard = false;
      asked = false;
      arm(time);
    } else if (asked) {
      prober.onKeepAliveTimeout();
    } else {
      asked = true;
      prober.sendKeepAlivePing();
      arm(timeout);
    }
  }
}
