package io.outrigger.proxy.cli;

import io.outrigger.proxy.options.Flag;
import io.outrigger.proxy.options.InvalidInput;
import io.outrigger.proxy.options.OptionsReader;
import io.outrigger.proxy.options.ProxyOptions;
import io.outrigger.proxy.options.ProxyOptions.ConfigSource;
import io.outrigger.proxy.options.StartFailure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run of the sidecar: all input is read and validated before the program starts. */
record SidecarRun(Programs programs, Surroundings surroundings) {
  private static final Logger log = LoggerFactory.getLogger(SidecarRun.class);

  /**
   * Runs with the flags that the command line gave.
   *
   * @return the exit code
   */
  int run(Map<Flag, List<String>> given) throws InvalidInput, StartFailure {
    var preparation = new FutureTask<>(this::prepare);
    new Thread(
            () -> {
              preparation.run();
              Preparation.compareRecords();
            },
            "preparation")
        .start();
    ProxyOptions options =
        OptionsReader.read(given, surroundings.environment(), surroundings.machine());
    surroundings.logging().accept(options.logging());
    ConfigSource source = options.source();
    source.warnings().forEach(log::warn);
    if (source.isStatic()) {
      checkResources(source);
    }
    return programs.run().run(options, signals(preparation));
  }

  /**
   * Takes a large part of a start, and as long as reading flags and resource files, which waits for
   * nothing of it. What the reading needs as well comes first.
   */
  private Signals prepare() {
    try {
      programs.preparation().run();
    } catch (RuntimeException | LinkageError e) {
      log.debug("preparation: left to the start", e); // which says what it could not do
    }
    return surroundings.signals().get();
  }

  private static Signals signals(FutureTask<Signals> preparation) {
    try {
      return preparation.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("preparation of the start", e);
    }
  }

  /** As {@link #run}, a failure told on stderr. */
  int runAndReport(Map<Flag, List<String>> given) {
    try {
      return run(given);
    } catch (InvalidInput | StartFailure | RuntimeException e) {
      return Failures.report(e, surroundings.err());
    }
  }

  private void checkResources(ConfigSource source) throws InvalidInput {
    List<String> errors =
        programs.resources().check(source.resources(), Optional.of(source.bootstrap()));
    if (!errors.isEmpty()) {
      throw new InvalidInput(errors);
    }
  }
}
