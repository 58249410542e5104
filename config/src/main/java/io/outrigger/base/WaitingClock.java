package io.outrigger.base;

import java.time.Duration;

/**
 * A clock with a blocking sleep, for programs around the proxy such as the demo and the command
 * line. The proxy itself must not block, so it does not use this clock.
 */
@AnyThread
public final class WaitingClock {
  private WaitingClock() {}

  public static long nanoTime() {
    return System.nanoTime();
  }

  /**
   * Sleeps for {@code time}. An interrupt ends the sleep early, and the thread's interrupt flag
   * stays set.
   */
  public static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
