package io.outrigger.dataplane.tls;

import io.outrigger.base.AnyThread;
import java.util.concurrent.Executor;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads for TLS work that takes milliseconds: building contexts, and the public-key parts of
 * handshakes. Event loops serve calls while handshakes wait for TLS threads. No thread exists while
 * TLS is not used.
 *
 * <p>Handshakes in progress take precedence over new handshakes. A new handshake starts when no
 * handshake in progress waits for a thread. If the parts of all handshakes ran in order of arrival,
 * a thousand handshakes would all finish late, at nearly the same time.
 */
@AnyThread
public final class TlsThreads {
  private static final long IDLE_SECONDS = 10;
  private static final AtomicLong NEXT = new AtomicLong();

  /** A TLS task with its priority: first tasks of handshakes run after all other tasks. */
  private record Part(boolean isFirst, long number, Runnable work)
      implements Runnable, Comparable<Part> {
    static Part of(boolean isFirst, Runnable work) {
      return new Part(isFirst, NEXT.getAndIncrement(), work);
    }

    @Override
    public void run() {
      work.run();
    }

    @Override
    public int compareTo(Part other) {
      return isFirst == other.isFirst
          ? Long.compare(number, other.number)
          : Boolean.compare(isFirst, other.isFirst);
    }
  }

  private TlsThreads() {}

  /** Returns an executor with a limited number of daemon threads, which end when idle. */
  public static Executor start(int count) {
    var made = new AtomicInteger();
    var pool =
        new ThreadPoolExecutor(
            count,
            count,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            task -> {
              var thread = new Thread(task, "tls-" + made.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return work -> pool.execute(work instanceof Part ? work : Part.of(false, work));
  }

  /** Returns an executor for the parts of one handshake. */
  static Executor ofHandshake(Executor threads) {
    return new Executor() {
      private volatile boolean begun;

      @Override
      public void execute(Runnable work) {
        boolean isFirst = !begun;
        begun = true;
        threads.execute(Part.of(isFirst, work));
      }
    };
  }
}
