package io.outrigger.base;

import java.time.Duration;

/** A clock whose {@code sleep} blocks, for the demo, the command line and waits at startup. */
public final class WaitingClock {
  private WaitingClock() {}

  public static long nanoTime() {
    return System.nanoTime();
  }

  /** Sleeps for {@code time}. An interrupt ends the sleep and leaves the interrupt flag set. */
  public static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
