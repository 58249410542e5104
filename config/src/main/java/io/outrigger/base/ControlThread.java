package io.outrigger.base;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control loop of a running process: one dedicated daemon thread. An {@link OutOfMemoryError}
 * of a task is passed to the thread's handler of uncaught exceptions, because the task may have
 * left state inconsistent.
 */
@AnyThread
public final class ControlThread implements ControlLoop, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ControlThread.class);

  private final ScheduledThreadPoolExecutor executor;
  private final AtomicLong failures = new AtomicLong();
  private volatile @Nullable Thread thread;

  public ControlThread(String name) {
    var factory = Executors.defaultThreadFactory();
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread created = factory.newThread(task);
              created.setName(name);
              created.setDaemon(true);
              thread = created;
              return created;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(() -> run(task));
    } catch (RejectedExecutionException closed) {
      log.debug("control loop closed, task dropped");
    }
  }

  @Override
  public TimerHandle schedule(Duration delay, Runnable task) {
    try {
      var future =
          executor.schedule(
              () -> run(task), TimeUnit.NANOSECONDS.convert(delay), TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException closed) {
      return () -> {};
    }
  }

  @Override
  public void checkInside() {
    if (Thread.currentThread() != thread) {
      throw new IllegalStateException("not on the control loop: " + Thread.currentThread());
    }
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  public long failures() {
    return failures.get();
  }

  /** Stops accepting tasks. Tasks that are already posted are run; pending timers are dropped. */
  @Override
  public void close() {
    executor.shutdown();
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) { // an executor would swallow the failure
      failures.incrementAndGet();
      if (Exhaustion.isOutOfMemory(e)) {
        onOutOfMemory(e);
      } else {
        log.error("task on the control loop failed", e);
      }
    }
  }

  private static void onOutOfMemory(Throwable e) {
    Thread current = Thread.currentThread();
    current.getUncaughtExceptionHandler().uncaughtException(current, e);
  }
}
