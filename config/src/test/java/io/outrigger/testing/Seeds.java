package io.outrigger.testing;

import io.outrigger.base.WaitingClock;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * The seeds of a fuzz test: always the same ones, and further ones, never the same, for as long as
 * {@code outrigger.fuzz.seconds} says ({@code scripts/fuzz}).
 */
public final class Seeds {
  private static final int SECONDS = Integer.getInteger("outrigger.fuzz.seconds", 0);

  private Seeds() {}

  /** Runs {@code test}, which names its seed when it fails, with {@code count} seeds at least. */
  public static void each(int count, LongConsumer test) {
    for (long seed = 0; seed < count; seed++) {
      test.accept(seed);
    }
    long start = WaitingClock.nanoTime();
    for (long seed = System.currentTimeMillis() << 20;
        WaitingClock.nanoTime() - start < TimeUnit.SECONDS.toNanos(SECONDS);
        seed++) {
      test.accept(seed);
    }
  }
}
