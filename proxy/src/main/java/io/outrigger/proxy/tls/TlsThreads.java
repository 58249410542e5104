package io.outrigger.proxy.tls;

import io.outrigger.base.AnyThread;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads for what of TLS takes milliseconds: contexts, and the public-key parts of handshakes. A
 * thousand handshakes stand in line here, and event loops serve calls meanwhile. Without TLS there
 * is no thread.
 */
@AnyThread
public final class TlsThreads {
  private static final long IDLE_SECONDS = 10;

  private TlsThreads() {}

  /** At most {@code count} daemon threads, each gone when it has had nothing to do for a while. */
  public static Executor start(int count) {
    var made = new AtomicInteger();
    var pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              var thread = new Thread(task, "tls-" + made.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
