package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import java.util.Optional;

/**
 * The resources of this machine. A {@link LocalAdsTransport} serves them as a control plane would.
 */
@ControlConfined
interface ResourceSource {
  /** Returns the resources to serve; empty until they are known. */
  Optional<ResourceSnapshot> snapshot();

  /** Calls {@code onChange} after each change of the snapshot. */
  void subscribe(Runnable onChange);

  void unsubscribe(Runnable onChange);

  /** Returns the origin of the resources, for messages. */
  String name();
}
