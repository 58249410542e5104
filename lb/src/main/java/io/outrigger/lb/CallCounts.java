package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.state.SubchannelCalls;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the calls of one subchannel or endpoint. Each event loop writes a cache line of its own,
 * with nothing but plain moves; the control loop adds them up on request.
 */
@AnyThread
public final class CallCounts {
  /** Longs per loop: a line between the counts of two loops, wherever the array begins. */
  private static final int STRIDE = 12;

  private static final int STARTED = 0;
  private static final int SUCCEEDED = 1;
  private static final int FAILED = 2;
  private static final int NOT_SENT = 3;

  private final AtomicLongArray counts;

  /** Nothing counted yet, of calls on {@code loops} event loops. */
  public CallCounts(int loops) {
    counts = new AtomicLongArray(loops * STRIDE);
  }

  /** On event loop {@code loop}. */
  public void onStarted(int loop) {
    add(loop, STARTED);
  }

  /** On event loop {@code loop}, the one on which the call started. */
  public void onEnded(int loop, CallOutcome outcome) {
    add(
        loop,
        switch (outcome) {
          case SUCCESS -> SUCCEEDED;
          case FAILURE -> FAILED;
          case NOT_SENT -> NOT_SENT;
        });
  }

  /** The counts so far. Any thread; exact for calls that ended before. */
  public SubchannelCalls totals() {
    long succeeded = sum(SUCCEEDED);
    long failed = sum(FAILED);
    // Starts are read last: a call that ends meanwhile still shows as active, never as minus one.
    long ended = succeeded + failed + sum(NOT_SENT);
    long active = Math.max(0, sum(STARTED) - ended);
    return (active | succeeded | failed) == 0
        ? SubchannelCalls.NONE
        : new SubchannelCalls(active, succeeded, failed);
  }

  private void add(int loop, int kind) {
    int i = loop * STRIDE + kind;
    counts.setRelease(i, counts.getPlain(i) + 1); // one writer per slot
  }

  private long sum(int kind) {
    long sum = 0;
    for (int i = kind; i < counts.length(); i += STRIDE) {
      sum += counts.getAcquire(i);
    }
    return sum;
  }
}
