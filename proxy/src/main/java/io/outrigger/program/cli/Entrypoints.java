package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.options.Target;
import io.outrigger.xds.kubernetes.ApiAccess;
import io.outrigger.xds.overlay.Overlay;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The programs that the commands start.
 *
 * @param preparation lists tasks that initialize libraries, each on a thread of its own, while
 *     files are read. A failed task does not stop the start.
 */
public record Entrypoints(
    RunEntrypoint run, List<Runnable> preparation, DemoEntrypoint demo, LiveEntrypoint live) {
  public Entrypoints {
    preparation = List.copyOf(preparation);
  }

  @FunctionalInterface
  interface RunEntrypoint {
    /**
     * Runs the sidecar until it has drained, and returns the exit code.
     *
     * @param signals the signals of this process; the action of the first signal is set as soon as
     *     a drain is possible
     * @throws StartFailure when the program cannot start; no port stays bound
     * @throws InvalidInput when a file that was written after the start, or an environment variable
     *     of OpenTelemetry, is invalid
     */
    int run(ProxyOptions options, Signals signals) throws StartFailure, InvalidInput;
  }

  @FunctionalInterface
  interface DemoEntrypoint {
    /**
     * Runs the demo and returns the exit code.
     *
     * @param duration limits the time of the demo; if empty, the demo runs until a signal
     */
    int run(
        Optional<Duration> duration, ListenAddress.Tcp admin, PrintWriter story, Signals signals)
        throws StartFailure, InvalidInput;
  }

  @FunctionalInterface
  interface LiveEntrypoint {
    LiveCheck.Result check(
        Bootstrap bootstrap,
        Overlay overlay,
        Target.Single target,
        Optional<ApiAccess> apiServer,
        Duration timeout);
  }
}
