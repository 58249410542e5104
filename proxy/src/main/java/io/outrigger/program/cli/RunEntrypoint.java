package io.outrigger.program.cli;

import io.outrigger.program.app.ResourceReading;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import io.outrigger.xds.local.OverlayFiles;

/** The program behind {@code outrigger run}. */
@FunctionalInterface
public interface RunEntrypoint {
  /**
   * Runs the sidecar until it has drained.
   *
   * @param resources reads the resource files that the options name
   * @param overlay the local policy that the options name, already read
   * @param signals starts the drain: the program sets {@link Signals#onFirst} as soon as it can
   *     drain
   * @return the exit code: 0 after a clean drain
   * @throws StartFailure when the program cannot start; no port stays bound
   * @throws InvalidInput when a file that appeared during the wait is wrong, or when one of
   *     OpenTelemetry's environment variables is wrong
   */
  int run(ProxyOptions options, ResourceReading resources, OverlayFiles overlay, Signals signals)
      throws StartFailure, InvalidInput;
}
