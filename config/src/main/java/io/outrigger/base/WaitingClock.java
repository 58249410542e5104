package io.outrigger.base;

import java.time.Duration;

/**
 * The clock of the programs around the proxy, such as the demo and the command line: they may wait
 * on their own thread. Neither half of the proxy uses it.
 */
@AnyThread
public final class WaitingClock {
  private WaitingClock() {}

  /** Monotonic time in nanoseconds; only differences mean something. */
  public static long nanoTime() {
    return System.nanoTime();
  }

  /** Waits; an interrupt ends the wait early and stays set. */
  public static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
