package io.outrigger.oracle;

import io.outrigger.base.TimerHandle;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The timers of a fake loop as the JDK's interface, as far as one-shot timers go. */
final class LoopScheduler extends AbstractExecutorService implements ScheduledExecutorService {
  private final FakeControlLoop loop;

  LoopScheduler(FakeControlLoop loop) {
    this.loop = loop;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return schedule(
        () -> {
          command.run();
          return true;
        },
        delay,
        unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    var task = new Timer<>(callable, loop.nanoTime() + unit.toNanos(delay));
    task.handle = loop.schedule(Duration.ofNanos(unit.toNanos(delay)), task);
    return task;
  }

  @Override
  public void execute(Runnable command) {
    loop.execute(command);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException("one-shot timers only");
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException("one-shot timers only");
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }

  private final class Timer<V> extends FutureTask<V> implements ScheduledFuture<V> {
    private final long dueNanos;
    private TimerHandle handle = () -> {};

    Timer(Callable<V> callable, long dueNanos) {
      super(callable);
      this.dueNanos = dueNanos;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      handle.cancel();
      return super.cancel(mayInterrupt);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - loop.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }
}
