package io.outrigger.base;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A daemon thread for tasks that may block or take long. Tasks run one after the other, in the
 * order of submission. The thread ends after five idle seconds. Tasks submitted after {@link
 * #close} are dropped.
 */
@AnyThread
public final class BackgroundThread implements Executor, AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final ThreadPoolExecutor executor;

  public BackgroundThread(String name) {
    executor =
        new ThreadPoolExecutor(
            0,
            1,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              var thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
  }

  @Override
  public void execute(Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException ended) {
      // The thread is closed, so the task is dropped.
    }
  }

  /** Interrupts the running task without waiting for it, and drops the queued tasks. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
