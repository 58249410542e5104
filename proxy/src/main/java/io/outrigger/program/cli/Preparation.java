package io.outrigger.program.cli;

import io.outrigger.base.AnyThread;
import io.outrigger.http2.EventLoops;
import io.outrigger.xds.decode.ResourceDecoder;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the one-time initialization of libraries on a thread of its own, while the main thread reads
 * flags and files. Parts run in the order in which a start needs them. When the main thread needs
 * all of them and some have not begun, it runs those itself, last one first, so that both threads
 * end together.
 *
 * <p>The program is correct without this class: a part that does not run here runs where its
 * library is first used.
 */
@AnyThread
final class Preparation {
  private static final Logger log = LoggerFactory.getLogger(Preparation.class);

  /**
   * The initialization that a start waits for. Work that two parts share is done by the first of
   * them.
   */
  static final List<Runnable> PARTS =
      List.of(ResourceDecoder::prepare, EventLoops::prepare, EventLoops::prepareCodec);

  private final List<FutureTask<?>> parts;

  private Preparation(List<FutureTask<?>> parts) {
    this.parts = List.copyOf(parts);
  }

  /**
   * Starts the thread, which runs {@code parts} in order.
   *
   * @param parts each part runs once, on the thread that reaches it first
   */
  static Preparation begin(List<FutureTask<?>> parts) {
    var preparation = new Preparation(parts);
    new Thread(() -> preparation.parts.forEach(FutureTask::run), "preparation").start();
    return preparation;
  }

  /**
   * Wraps a part that may fail. The start later fails for the same reason and reports that reason.
   */
  static FutureTask<?> part(Runnable work) {
    return new FutureTask<>(
        () -> {
          try {
            work.run();
          } catch (RuntimeException | LinkageError e) {
            log.debug("preparation: left to the start", e);
          }
        },
        null);
  }

  /** Runs the parts that have not begun, and waits for the others. */
  void finish() throws ExecutionException, InterruptedException {
    for (int i = parts.size() - 1; i >= 0; i--) {
      parts.get(i).run(); // does nothing if the part has begun
    }
    for (FutureTask<?> part : parts) {
      part.get();
    }
  }
}
