package io.outrigger.program.cli;

import io.outrigger.program.app.ResourceReading;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import io.outrigger.xds.local.OverlayFiles;

/** What {@code outrigger run} runs. */
@FunctionalInterface
public interface RunEntrypoint {
  /**
   * Runs until drained.
   *
   * @param resources reads the resource files that the options name
   * @param overlay local policy that the options name, as it was read
   * @param signals for the drain: the program sets {@link Signals#onFirst} as soon as it can drain
   * @return the exit code: 0 after a clean drain
   * @throws StartFailure when it cannot start; nothing is left bound
   * @throws InvalidInput when what the environment says beside our own variables is wrong, or a
   *     file that was waited for
   */
  int run(ProxyOptions options, ResourceReading resources, OverlayFiles overlay, Signals signals)
      throws StartFailure, InvalidInput;
}
