package io.outrigger.program.cli;

import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.options.StartFailure;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;

/** What {@code outrigger demo} runs. */
@FunctionalInterface
public interface DemoEntrypoint {
  /**
   * Runs the demo and tells its story.
   *
   * @param duration empty: until a signal
   * @param admin of the sidecar in the demo
   * @param story where to tell
   * @return the exit code
   */
  int run(Optional<Duration> duration, ListenAddress.Tcp admin, PrintWriter story, Signals signals)
      throws StartFailure;
}
