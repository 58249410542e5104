package io.outrigger.dataplane.memory;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Exhaustion;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an {@link OutOfMemoryError} means for the process (decision proxy-0046). On an event loop
 * the catch site ends the connection or call that met it and reports it by {@link #onLoop}, which
 * has the heaviest connection ended as well. The process ends, with one line that says why, when it
 * can no longer serve:
 *
 * <ul>
 *   <li>the error comes to the end of a thread, or to the control loop, whose state may then be
 *       half changed;
 *   <li>more than {@value #MAX_ERRORS} come to event loops within {@link #WINDOW}, and there is no
 *       connection left to end;
 *   <li>the heap stays full, whatever is collected and ended ({@link HeapWatch}).
 * </ul>
 *
 * <p>Buffers beyond Netty's own limit do not count: ending the connection that asked for one gives
 * memory back, and peers could else end the process at will.
 */
@AnyThread
public final class OutOfMemory implements Thread.UncaughtExceptionHandler {
  /** More of them in a {@link #WINDOW} end the process. */
  static final int MAX_ERRORS = 20;

  static final Duration WINDOW = Duration.ofSeconds(10);

  private static final Logger log = LoggerFactory.getLogger(OutOfMemory.class);

  /** Until {@link #install}, as in tests, it ends nothing. */
  private static volatile OutOfMemory ofProcess =
      new OutOfMemory(System::nanoTime, reason -> log.error("out of memory {}", reason));

  private final LongSupplier nanoTime;
  private final Consumer<String> end;

  /** Ends the heaviest connection; false when there is none. */
  private volatile BooleanSupplier relief = () -> false;

  /** When the last of them came, the oldest at the place that is next. */
  private final AtomicLongArray times = new AtomicLongArray(MAX_ERRORS);

  private final AtomicLong errors = new AtomicLong();

  /**
   * @param end of the process, for a reason
   */
  OutOfMemory(LongSupplier nanoTime, Consumer<String> end) {
    this.nanoTime = nanoTime;
    this.end = end;
  }

  /** Makes this policy that of the process, for threads of libraries too. */
  public static void install(MemoryPlan plan) {
    var policy = new OutOfMemory(System::nanoTime, new ProcessEnd(plan));
    ofProcess = policy;
    Thread.setDefaultUncaughtExceptionHandler(policy);
  }

  /** Has lack of memory end the heaviest connection of {@code gauge}. */
  public static void endsHeaviestOf(MemoryGauge gauge) {
    ofProcess.relieveBy(gauge::endHeaviest);
  }

  /**
   * Reports a failure on an event loop, or on another thread where only one task or connection is
   * lost by it. The caller has ended that, or will.
   *
   * @return whether it is lack of memory, and so no bug
   */
  public static boolean onLoop(Throwable failure) {
    return ofProcess.report(failure);
  }

  /** Reports a failure after which nobody knows what a thread of a library left half done. */
  public static void onThread(Throwable failure) {
    ofProcess.uncaughtException(Thread.currentThread(), failure);
  }

  /** Reports that collections find nothing: the heap is too small for what lives in it. */
  public static void onFullHeap() {
    if (ofProcess.relief.getAsBoolean()) {
      return;
    }
    ofProcess.end.accept("although garbage is collected: what lives fills the heap");
  }

  /**
   * @param heaviestEnds ends the heaviest connection; false when there is none
   */
  void relieveBy(BooleanSupplier heaviestEnds) {
    relief = heaviestEnds;
  }

  boolean report(Throwable failure) {
    Optional<OutOfMemoryError> error = Exhaustion.outOfMemory(failure);
    if (error.isEmpty()) {
      return false;
    }
    if (isOfJvm(error.get())) {
      long now = nanoTime.getAsLong();
      long number = errors.getAndIncrement();
      long before = times.getAndSet((int) (number % MAX_ERRORS), now);
      boolean isRelieved = relief.getAsBoolean();
      if (!isRelieved && number >= MAX_ERRORS && now - before <= WINDOW.toNanos()) {
        end.accept(
            "on event loops, more than %d times in %d s".formatted(MAX_ERRORS, WINDOW.toSeconds()));
      }
    }
    return true;
  }

  /** Whether it is the JVM's; Netty's own, of its limit for buffers, is of a class of its own. */
  public static boolean isOfJvm(OutOfMemoryError error) {
    return error.getClass() == OutOfMemoryError.class;
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    if (Exhaustion.isOutOfMemory(failure)) {
      end.accept("on thread " + thread.getName() + ", which cannot go on");
    } else {
      log.error("thread {}: ended by a bug of ours", thread.getName(), failure);
    }
  }
}
