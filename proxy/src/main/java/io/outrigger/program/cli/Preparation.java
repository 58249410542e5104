package io.outrigger.program.cli;

import io.outrigger.base.AnyThread;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.http2.EventLoops;
import io.outrigger.xds.decode.ResourceDecoder;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the one-time initialization of libraries on a thread of its own, while the main thread reads
 * flags and files. Tasks run in the order in which a start needs them. When the main thread needs
 * all of them and some are left, it runs these itself, last one first, so that both threads end
 * together.
 *
 * <p>An optimization only: a task that did not run here runs where its library is first used.
 */
@AnyThread
final class Preparation {
  private static final Logger log = LoggerFactory.getLogger(Preparation.class);

  /** What the start waits for. What two parts have in common is done by the first of them. */
  static final List<Runnable> PARTS =
      List.of(ResourceDecoder::prepare, EventLoops::prepare, EventLoops::prepareCodec);

  private final List<FutureTask<?>> parts;

  private Preparation(List<FutureTask<?>> parts) {
    this.parts = List.copyOf(parts);
  }

  /**
   * Begins with the first of {@code parts}.
   *
   * @param parts done by whoever comes first, once each
   */
  static Preparation begin(List<FutureTask<?>> parts) {
    var preparation = new Preparation(parts);
    new Thread(
            () -> {
              preparation.parts.forEach(FutureTask::run);
              compareRecords();
            },
            "preparation")
        .start();
    return preparation;
  }

  /** A part that may fail: the start finds out what it could not do, and says so. */
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

  /** Does what nobody has begun, and waits for the rest. */
  void finish() throws ExecutionException, InterruptedException {
    for (int i = parts.size() - 1; i >= 0; i--) {
      parts.get(i).run(); // nothing where somebody has begun
    }
    for (FutureTask<?> part : parts) {
      part.get();
    }
  }

  /**
   * What the first update of a configuration would wait for: the JVM makes these methods of records
   * by method handles, and classes for those.
   */
  private static void compareRecords() {
    var nowhere = new Locality("", "", "");
    var unused = new HashSet<>(List.of(nowhere, new Locality("", "", "")));
  }
}
