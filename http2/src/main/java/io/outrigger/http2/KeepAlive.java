package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Detects a peer that no longer responds (A8). The time is measured from the last byte read; calls
 * that begin or end do not restart it.
 *
 * <pre>
 * ASLEEP   -> WATCHING  on a stream opened
 * ASLEEP   -> PROBING   on a stream opened when nothing was read for {@code time}
 * WATCHING -> PROBING   on nothing read for {@code time} while a stream is open: a PING is sent
 * WATCHING -> ASLEEP    on nothing read for {@code time} while no stream is open
 * PROBING  -> WATCHING  on a byte read
 * PROBING  -> ASLEEP    on nothing read for {@code timeout}: the connection is closed
 * </pre>
 */
@LoopConfined
final class KeepAlive {
  /** Sends PINGs, and closes the connection when nothing is received in return. */
  interface Prober {
    void sendKeepAlivePing();

    void onKeepAliveTimeout();
  }

  private final Prober prober;
  private final StreamTable table;
  private final EventLoop loop;
  private final Duration time;
  private final Duration timeout;
  private long lastReadNanos;
  private boolean probing;

  /** Null while asleep. */
  private @Nullable ScheduledFuture<?> timer;

  KeepAlive(Prober prober, StreamTable table, EventLoop loop, Duration time, Duration timeout) {
    this.prober = prober;
    this.table = table;
    this.loop = loop;
    this.time = time;
    this.timeout = timeout;
    lastReadNanos = now();
  }

  void onRead() {
    lastReadNanos = now();
    if (probing) {
      stop();
      arm(time.toNanos());
    }
  }

  /** Called when this side has opened a stream; nothing was sent on the stream yet. */
  void onStreamOpened() {
    if (timer == null) {
      watch();
    }
  }

  void stop() {
    probing = false;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void watch() {
    long left = time.toNanos() - (now() - lastReadNanos);
    if (left > 0) {
      arm(left);
    } else {
      probing = true;
      prober.sendKeepAlivePing();
      arm(timeout.toNanos());
    }
  }

  private void arm(long delayNanos) {
    timer = loop.schedule(this::onTimer, delayNanos, TimeUnit.NANOSECONDS);
  }

  private void onTimer() {
    timer = null;
    if (probing) {
      probing = false;
      prober.onKeepAliveTimeout();
    } else if (table.active() > 0) {
      watch();
    }
  }

  private long now() {
    return loop.ticker().nanoTime();
  }
}
