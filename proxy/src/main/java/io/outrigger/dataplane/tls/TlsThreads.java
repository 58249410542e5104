package io.outrigger.dataplane.tls;

import io.outrigger.base.AnyThread;
import java.util.concurrent.Executor;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads for what of TLS takes milliseconds: contexts, and the public-key parts of handshakes. A
 * thousand handshakes stand in line here, and event loops serve calls meanwhile. Without TLS there
 * is no thread.
 *
 * <p>A handshake has several parts. What belongs to one that has begun goes before the first parts
 * of others: in the order in which they come, none of a thousand would be done before nearly all
 * are.
 */
@AnyThread
public final class TlsThreads {
  private static final long IDLE_SECONDS = 10;
  private static final AtomicLong NEXT = new AtomicLong();

  /**
   * Work with its place in the line.
   *
   * @param isFirst whether it begins a handshake
   */
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

  /** At most {@code count} daemon threads, each gone when it has had nothing to do for a while. */
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

  /** {@code threads} for one handshake, whose first part stands in line. */
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
