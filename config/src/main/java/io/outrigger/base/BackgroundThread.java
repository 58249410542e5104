package io.outrigger.base;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One task after the other, in their order, on a daemon thread that exists while there is something
 * to do: for work that takes long or may block. What is given to it after the end is dropped.
 */
@AnyThread
public final class BackgroundThread implements Executor, AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final ThreadPoolExecutor executor;

  /**
   * @param name of the thread
   */
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
      // nobody waits for the answer any more
    }
  }

  /** Lets what runs end, and interrupts it; does not wait for it. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
