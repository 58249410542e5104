package io.outrigger.testing;

import io.outrigger.base.ControlLoop;
import io.outrigger.base.TimerHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.TreeSet;

/**
 * A control loop whose clock stands still until the test moves it. Tasks run on the test's thread:
 * in {@link #run}, in {@link #advance}, or within {@link #inside}. An exception from a task fails
 * the test.
 */
public final class FakeControlLoop implements ControlLoop {
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  /** Sorted rather than a heap, which would search all timers for the one that is cancelled. */
  private final TreeSet<Timer> timers =
      new TreeSet<>(Comparator.comparingLong(Timer::dueNanos).thenComparingLong(Timer::order));

  private long nowNanos;
  private long order;
  private boolean inside;
  private Duration wallClockStep = Duration.ZERO;
  private Duration costOfReading = Duration.ZERO;

  private record Timer(long dueNanos, long order, Runnable task) {}

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public TimerHandle schedule(Duration delay, Runnable task) {
    long nanos =
        delay.compareTo(Duration.ofDays(10_000)) > 0 ? Long.MAX_VALUE / 4 : delay.toNanos();
    var timer = new Timer(nowNanos + Math.max(0, nanos), order++, task);
    timers.add(timer);
    return () -> timers.remove(timer);
  }

  @Override
  public void checkInside() {
    if (!inside) {
      throw new IllegalStateException("not inside the control loop; use run, inside or advance");
    }
  }

  @Override
  public long nanoTime() {
    long read = nowNanos;
    nowNanos += costOfReading.toNanos();
    return read;
  }

  @Override
  public Instant now() {
    return EPOCH.plusNanos(nowNanos).plus(wallClockStep);
  }

  /** Somebody sets the wall clock; the clock that counts goes on as before. */
  public void stepWallClock(Duration step) {
    wallClockStep = wallClockStep.plus(step);
  }

  /**
   * From now on time passes within a task: each reading of the monotonic clock moves it on by
   * {@code cost}, after the reading.
   */
  public void costOfReading(Duration cost) {
    costOfReading = cost;
  }

  /** Runs {@code task} as a task of the loop, and everything that it posts. */
  public void inside(Runnable task) {
    execute(task);
    run();
  }

  /** Runs what is posted, and timers that are due, until nothing is left to do now. */
  public void run() {
    boolean before = inside;
    inside = true;
    try {
      while (true) {
        Runnable task = tasks.poll();
        if (task == null) {
          if (timers.isEmpty() || timers.first().dueNanos() > nowNanos) {
            return;
          }
          Timer due = timers.pollFirst();
          task = due.task();
        }
        task.run();
      }
    } finally {
      inside = before;
    }
  }

  /** Moves the clock on by {@code time}, stopping at each timer on the way to run it. */
  public void advance(Duration time) {
    long target = nowNanos + time.toNanos();
    run();
    while (!timers.isEmpty() && timers.first().dueNanos() <= target) {
      nowNanos = Math.max(nowNanos, timers.first().dueNanos());
      run();
    }
    nowNanos = Math.max(nowNanos, target);
    run();
  }

  /** Moves the clock on while the loop is busy with something else: what is due runs late. */
  public void stall(Duration time) {
    nowNanos += time.toNanos();
    run();
  }

  /** How many timers wait. */
  public int pendingTimers() {
    return timers.size();
  }
}
