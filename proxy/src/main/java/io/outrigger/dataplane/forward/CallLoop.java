package io.outrigger.dataplane.forward;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Ticker;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.OneTimer;
import io.outrigger.base.RandomSource;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.HeaderList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One event loop with its index, clock, random source, deadline timers and caches for calls. */
@LoopConfined
public final class CallLoop implements Executor {
  private static final int HEADS = 64;

  private final int index;
  private final Executor executor;
  private final LongSupplier clock;
  final RandomSource random;
  final DeadlineTimers deadlines;

  /** Caches recurring {@link RequestHead}s by their header lists' hashes (decision proxy-0075). */
  private final @Nullable RequestHead[] heads = new RequestHead[HEADS];

  /**
   * @param clock a monotonic clock in nanoseconds
   */
  public CallLoop(
      int index,
      Executor executor,
      LongSupplier clock,
      OneTimer.Scheduler timers,
      RandomSource random) {
    this.index = index;
    this.executor = executor;
    this.clock = clock;
    this.random = random;
    deadlines = new DeadlineTimers(clock, timers);
  }

  public static List<CallLoop> of(EventLoops loops, RandomSource random) {
    return IntStream.range(0, loops.count()).mapToObj(i -> of(i, loops.loop(i), random)).toList();
  }

  private static CallLoop of(int index, EventLoop loop, RandomSource random) {
    return new CallLoop(
        index,
        loop,
        Ticker.systemTicker()::nanoTime,
        (delay, task) -> {
          Future<?> alarm = loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
          return () -> alarm.cancel(false);
        },
        random);
  }

  public int index() {
    return index;
  }

  /** Posts a task to the loop; callable from any thread. */
  @Override
  public void execute(Runnable task) {
    executor.execute(task);
  }

  long nanoTime() {
    return clock.getAsLong();
  }

  /** Returns the {@link RequestHead} of a header list; a recurring list is parsed only once. */
  @SuppressWarnings("ReferenceEquality") // a recurring block is decoded to the same list
  RequestHead headOf(HeaderList headers) {
    if (!headers.recurs()) {
      return RequestHead.of(headers);
    }
    int slot = headers.hash() & (HEADS - 1);
    RequestHead head = heads[slot];
    if (head == null || head.headers() != headers) {
      head = RequestHead.of(headers);
      heads[slot] = head;
    }
    return head;
  }
}
