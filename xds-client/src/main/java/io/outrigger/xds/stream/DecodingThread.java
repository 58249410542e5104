package io.outrigger.xds.stream;

import io.outrigger.base.AnyThread;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where responses are decoded: one at a time in their order, on a thread that exists while there is
 * something to do. What is given to it after the end is dropped.
 */
@AnyThread
public final class DecodingThread implements Executor, AutoCloseable {
  private static final Duration IDLE = Duration.ofSeconds(5);

  private final ThreadPoolExecutor executor;

  public DecodingThread() {
    executor =
        new ThreadPoolExecutor(
            0,
            1,
            IDLE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              var thread = new Thread(task, "xds-decode");
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

  /** Lets what runs end; does not wait for it. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
