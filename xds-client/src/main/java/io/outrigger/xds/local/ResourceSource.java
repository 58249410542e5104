package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import java.util.Optional;

/** Resources of this machine, which a {@link LocalAdsTransport} serves as a control plane would. */
@ControlConfined
interface ResourceSource {
  /** What to serve; empty until it is known. */
  Optional<ResourceSnapshot> snapshot();

  /** Calls {@code onChange} after each change of the snapshot. */
  void subscribe(Runnable onChange);

  void unsubscribe(Runnable onChange);

  /** Where the resources come from, for messages. */
  String name();
}
