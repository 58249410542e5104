package io.outrigger.program.cli;

import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.options.StartFailure;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;

/** The program behind {@code outrigger demo}. */
@FunctionalInterface
public interface DemoEntrypoint {
  /**
   * Runs the demo and prints its text.
   *
   * @param duration the time after which the demo ends; empty means until a signal
   * @param admin the admin address of the demo's sidecar
   * @param story receives the text
   * @return the exit code
   */
  int run(Optional<Duration> duration, ListenAddress.Tcp admin, PrintWriter story, Signals signals)
      throws StartFailure;
}
