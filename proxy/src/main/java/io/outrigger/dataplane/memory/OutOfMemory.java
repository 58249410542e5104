package io.outrigger.dataplane.memory;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Exhaustion;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how the process reacts to an {@link OutOfMemoryError} (decision proxy-0046). On an event
 * loop, the catch site ends the connection or call in which the error occurred. The catch site then
 * calls {@link #onLoop}, which also ends a connection that holds much memory. The process ends,
 * with one line that states the reason, in two cases:
 *
 * <ul>
 *   <li>the error ends a thread, or occurs on the control loop and may leave the loop's state
 *       inconsistent;
 *   <li>the heap stays full after collections, and there is no connection left to end ({@link
 *       HeapWatch}).
 * </ul>
 *
 * <p>An error at Netty's own limit for buffers ends only the connection that requested the buffer,
 * because peers could otherwise end the process at any time.
 */
@AnyThread
public final class OutOfMemory implements Thread.UncaughtExceptionHandler {
  private static final Logger log = LoggerFactory.getLogger(OutOfMemory.class);

  /** The policy of the process; before {@link #install}, as in tests, it only logs. */
  private static volatile OutOfMemory ofProcess =
      new OutOfMemory(reason -> log.error("out of memory {}", reason));

  /** Ends the process, for the given reason. */
  private final Consumer<String> end;

  /** Ends a connection that holds much memory; returns false if there is no connection to end. */
  private volatile BooleanSupplier relief = () -> false;

  OutOfMemory(Consumer<String> end) {
    this.end = end;
  }

  /** Installs this policy for the process, including threads of libraries. */
  public static void install(MemoryPlan plan) {
    var policy = new OutOfMemory(new ProcessEnd(plan));
    ofProcess = policy;
    Thread.setDefaultUncaughtExceptionHandler(policy);
  }

  /** Sets the gauge whose {@link MemoryGauge#endHeaviest} is called when the heap is exhausted. */
  public static void endsHeaviestOf(MemoryGauge gauge) {
    ofProcess.relieveBy(gauge::endHeaviest);
  }

  /**
   * Reports a failure in one task or connection; the caller ends that task or connection. Called on
   * event loops and other threads.
   *
   * @return whether the cause is a lack of memory, not a bug
   */
  public static boolean onLoop(Throwable failure) {
    return ofProcess.report(failure);
  }

  /** Reports a failure that may have left a library's thread in an inconsistent state. */
  public static void onThread(Throwable failure) {
    ofProcess.uncaughtException(Thread.currentThread(), failure);
  }

  /** Reports that collections free nothing: the heap is too small for its live objects. */
  public static void onFullHeap() {
    if (!ofProcess.relief.getAsBoolean()) {
      ofProcess.end.accept("although garbage is collected: what lives fills the heap");
    }
  }

  void relieveBy(BooleanSupplier heaviestEnds) {
    relief = heaviestEnds;
  }

  boolean report(Throwable failure) {
    Optional<OutOfMemoryError> error = Exhaustion.outOfMemory(failure);
    if (error.isPresent() && Exhaustion.isOfJvm(error.get())) {
      var unused = relief.getAsBoolean(); // HeapWatch ends the process if the heap stays full
    }
    return error.isPresent();
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    if (Exhaustion.isOutOfMemory(failure)) {
      end.accept("on thread " + thread.getName() + ", which cannot go on");
    } else {
      log.error("thread {}: ended by a bug of ours", thread.getName(), failure);
    }
  }

  /**
   * Ends a process that is out of memory, with one line on stderr and exit code 1. Needs no free
   * memory, because a line with the remedy is built at the start. The line names the reason only if
   * memory for the longer line is available. Shutdown hooks are not run, because they need memory.
   */
  @AnyThread
  private static final class ProcessEnd implements Consumer<String> {
    private static final int FAILED = 1;

    private final OutputStream err = new FileOutputStream(FileDescriptor.err);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final String remedy;
    private final byte[] shortLine;

    ProcessEnd(MemoryPlan plan) {
      remedy = // not by String.format, which takes milliseconds at its first use
          "the heap's limit is "
              + (plan.heapBytes() >> 20)
              + " MiB and that of buffers "
              + (plan.directBytes() >> 20)
              + " MiB: raise the memory limit of the container";
      shortLine = line("outrigger: out of memory; " + remedy);
    }

    @Override
    public void accept(String reason) {
      if (ended.getAndSet(true)) {
        return; // another thread is ending the process
      }
      try {
        write(reason);
      } finally {
        Runtime.getRuntime().halt(FAILED);
      }
    }

    private void write(String reason) {
      byte[] line = shortLine;
      try {
        System.out.flush();
        System.err.flush();
        line = line("outrigger: out of memory " + reason + "; " + remedy);
      } catch (OutOfMemoryError again) {
        // The line that was built at the start is written; it lacks the reason.
      }
      try {
        err.write(line);
      } catch (IOException nobodyReads) {
        // stderr is closed, so only the exit code reports the failure.
      }
    }

    private static byte[] line(String text) {
      return (text + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    }
  }
}
