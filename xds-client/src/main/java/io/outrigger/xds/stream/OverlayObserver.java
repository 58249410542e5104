package io.outrigger.xds.stream;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.overlay.OverlayEffect.Omission;

/** Hears what could not be done with an overlay; called on the control loop. */
@ControlConfined
public interface OverlayObserver {
  /**
   * A rule could not be laid over a resource, which goes on without it.
   *
   * @param resource a cluster, or {@code configuration/virtual host/route}
   */
  void onLeftOut(String resource, Omission omission);
}
