package io.outrigger.program.cli;

import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.OptionsReader;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run of the sidecar. The flags, and the files that exist, are read and validated before the
 * program starts.
 */
record SidecarRun(CommandContext context) {
  /**
   * The logger is created before a second thread starts, because other threads get substitute
   * loggers while SLF4J initializes.
   */
  private static final Logger log = LoggerFactory.getLogger(SidecarRun.class);

  /**
   * Runs the sidecar and returns the exit code. {@link #prepare}, the longest step, starts first.
   */
  int run(Map<Flag, List<String>> given) throws InvalidInput, StartFailure {
    var preparation =
        CompletableFuture.supplyAsync(
            this::prepare, task -> new Thread(task, "preparation").start());
    ProxyOptions options = OptionsReader.read(given, context.environment(), context.machine());
    context.logging().accept(options.logging());
    return context.programs().run().run(options, preparation.join());
  }

  /**
   * Initializes libraries while the main thread reads flags and files. Without this method, the
   * first use of each library would initialize the library. If a library cannot be initialized
   * here, the start of the sidecar fails at the first use of this library, and reports the reason.
   */
  private Signals prepare() {
    Signals signals = context.signals().get(); // first: the JVM's own handlers would exit with 143
    for (Runnable part : context.programs().preparation()) {
      try {
        part.run();
      } catch (RuntimeException | LinkageError e) {
        log.debug("preparation: left to the start", e);
      }
    }
    return signals;
  }

  int runAndReport(Map<Flag, List<String>> given) {
    try {
      return run(given);
    } catch (InvalidInput | StartFailure | RuntimeException e) {
      return Failures.report(e, context.err());
    }
  }
}
