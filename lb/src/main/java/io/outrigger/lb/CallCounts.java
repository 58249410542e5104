package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.state.SubchannelCalls;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the calls of one subchannel or endpoint. Each event loop writes to its own cache line.
 * Readers add up the counts of all loops.
 */
@AnyThread
public final class CallCounts {
  /** The number of longs per event loop, enough to keep the loops on different cache lines. */
  private static final int STRIDE = 12;

  private static final int STARTED = 0;
  private static final int SUCCEEDED = 1;
  private static final int FAILED = 2;
  private static final int NOT_SENT = 3;

  private final AtomicLongArray counts;

  public CallCounts(int loops) {
    counts = new AtomicLongArray(loops * STRIDE);
  }

  /** Counts the start of a call, on the event loop of the call. */
  public void onStarted(int loop) {
    add(loop, STARTED);
  }

  /** Counts the end of a call, on the event loop on which the call started. */
  public void onEnded(int loop, CallOutcome outcome) {
    add(
        loop,
        switch (outcome) {
          case SUCCESS -> SUCCEEDED;
          case FAILURE -> FAILED;
          case NOT_SENT -> NOT_SENT;
        });
  }

  /** The counts of all calls so far. The counts of ended calls are exact. Called on any thread. */
  public SubchannelCalls totals() {
    long succeeded = sum(SUCCEEDED);
    long failed = sum(FAILED);
    // Started calls are read last, so a call that ends during the reads counts as active.
    long ended = succeeded + failed + sum(NOT_SENT);
    return new SubchannelCalls(Math.max(0, sum(STARTED) - ended), succeeded, failed);
  }

  private void add(int loop, int kind) {
    int i = loop * STRIDE + kind;
    counts.setRelease(i, counts.getPlain(i) + 1); // safe because a slot has one writer
  }

  private long sum(int kind) {
    long sum = 0;
    for (int i = kind; i < counts.length(); i += STRIDE) {
      sum += counts.getAcquire(i);
    }
    return sum;
  }
}
