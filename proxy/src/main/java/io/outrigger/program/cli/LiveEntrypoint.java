package io.outrigger.program.cli;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.Target;
import io.outrigger.xds.overlay.Overlay;
import java.time.Duration;

/** Asks a control plane what a target would get. */
@FunctionalInterface
public interface LiveEntrypoint {
  /** Blocks until it is known, or the time is over. */
  LiveCheck.Result check(
      Bootstrap bootstrap, Overlay overlay, Target.Single target, Duration timeout);
}
