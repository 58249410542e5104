package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.outrigger.base.LoopConfined;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out that a peer has died silently (A8). Time counts from the last byte that was read: calls
 * that come and end meanwhile change nothing.
 *
 * <pre>
 * ASLEEP   -> WATCHING  on a stream opened
 * ASLEEP   -> PROBING   on a stream opened when nothing was read for {@code time}
 * WATCHING -> PROBING   on nothing read for {@code time} while a stream is open: a PING is sent
 * WATCHING -> ASLEEP    on the same without a stream
 * PROBING  -> WATCHING  on a byte read
 * PROBING  -> ASLEEP    on nothing read for {@code timeout}: the peer is given up
 * </pre>
 */
@LoopConfined
final class KeepAlive {
  /** Sends the PINGs, and closes the connection when nothing comes back. */
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

  /** A stream is open that has sent nothing yet. */
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
