package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.overlay.OverlayEffect.Omission;

/** Receives the overlay rules that could not be applied. Called on the control loop. */
@ControlConfined
public interface OverlayObserver {
  /**
   * A rule could not be applied to a resource, which is used without the rule.
   *
   * @param resource a cluster, or {@code configuration/virtual host/route}
   */
  void onLeftOut(String resource, Omission omission);
}
