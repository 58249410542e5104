package io.outrigger.testing;

import io.outrigger.base.WaitingClock;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Bounded waiting: what does not come in time fails the test and says what was there instead. */
public final class Await {
  public static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(5);

  private Await() {}

  /**
   * What {@code listen} gives, as soon as it can bind its port: one that was given up for a while
   * may meanwhile be the local port of some connection of the machine.
   */
  public static <T> T bound(Callable<T> listen) {
    var result = new AtomicReference<T>();
    until(
        "the port is free again",
        () -> {
          try {
            result.set(listen.call());
            return true;
          } catch (UncheckedIOException taken) {
            return false;
          }
        });
    return result.get();
  }

  /** Waits until {@code condition} holds. */
  public static void until(String what, Callable<Boolean> condition) {
    until(what, () -> "", condition);
  }

  /**
   * Waits until {@code condition} holds.
   *
   * @param found told when it does not
   */
  public static void until(String what, Supplier<String> found, Callable<Boolean> condition) {
    if (!within(PATIENCE, condition)) {
      throw new AssertionError("not within " + PATIENCE + ": " + what + ". " + found.get());
    }
  }

  /** Whether {@code condition} came to hold within {@code limit}. */
  public static boolean within(Duration limit, Callable<Boolean> condition) {
    long deadline = WaitingClock.nanoTime() + limit.toNanos();
    while (!holds(condition)) {
      if (WaitingClock.nanoTime() - deadline > 0) {
        return false;
      }
      WaitingClock.sleep(POLL);
    }
    return true;
  }

  private static boolean holds(Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
