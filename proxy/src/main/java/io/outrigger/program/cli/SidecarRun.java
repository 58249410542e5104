package io.outrigger.program.cli;

import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.OptionsReader;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
   * Runs the sidecar and returns the exit code. Calls {@link #prepare} for each library on a
   * separate thread, and then installs the signal handlers, because the JVM's own handlers exit
   * with 143.
   */
  int run(Map<Flag, List<String>> given) throws InvalidInput, StartFailure {
    Executor threads = task -> new Thread(task, "preparation").start();
    List<CompletableFuture<Void>> preparation =
        context.programs().preparation().stream()
            .map(part -> CompletableFuture.runAsync(() -> prepare(part), threads))
            .toList();
    Signals signals = context.signals().get();
    ProxyOptions options = OptionsReader.read(given, context.environment(), context.machine());
    context.logging().accept(options.logging());
    preparation.forEach(CompletableFuture::join);
    return context.programs().run().run(options, signals);
  }

  /**
   * Initializes a library while the main thread reads flags and files. If the initialization fails,
   * the first use of the library fails too, which ends the start and reports the reason.
   */
  private static void prepare(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | LinkageError e) {
      log.debug("preparation: left to the start", e);
    }
  }

  int runAndReport(Map<Flag, List<String>> given) {
    try {
      return run(given);
    } catch (InvalidInput | StartFailure | RuntimeException e) {
      return Failures.report(e, context.err());
    }
  }
}
