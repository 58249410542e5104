package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.Target;
import io.outrigger.xds.overlay.Overlay;
import java.time.Duration;

/** Fetches the configuration of a target from its control plane. */
@FunctionalInterface
public interface LiveEntrypoint {
  /** Blocks until the result is known or the timeout has passed. */
  LiveCheck.Result check(
      Bootstrap bootstrap, Overlay overlay, Target.Single target, Duration timeout);
}
