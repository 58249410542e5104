package io.outrigger.proxy.cli;

import io.outrigger.proxy.options.InvalidInput;
import io.outrigger.proxy.options.ProxyOptions;
import io.outrigger.proxy.options.StartFailure;
import io.outrigger.xds.local.ResourceFiles;

/** What {@code outrigger run} runs. */
@FunctionalInterface
public interface Program {
  /**
   * Runs until drained.
   *
   * @param files the resource files that the options name, as they were validated; {@link
   *     ResourceFiles#NONE} where they name none
   * @param signals for the drain: the program sets {@link Signals#onFirst} as soon as it can drain
   * @return the exit code: 0 after a clean drain
   * @throws StartFailure when it cannot start; nothing is left bound
   * @throws InvalidInput when what the environment says beside our own variables is wrong
   */
  int run(ProxyOptions options, ResourceFiles files, Signals signals)
      throws StartFailure, InvalidInput;
}
