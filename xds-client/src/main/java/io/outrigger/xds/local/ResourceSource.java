package io.outrigger.xds.local;

import io.outrigger.base.ControlConfined;
import java.util.Optional;

/**
 * The resources of this machine. A {@link LocalAdsTransport} serves these resources as a control
 * plane would.
 */
@ControlConfined
public interface ResourceSource {
  /** Returns the resources to serve. Returns empty until the resources are known. */
  Optional<ResourceSnapshot> snapshot();

  /** Registers a callback that runs after each change of the snapshot, if it can change. */
  default void subscribe(Runnable onChange) {}

  default void unsubscribe(Runnable onChange) {}

  /** Returns the name of the place that the resources come from, for messages. */
  String name();
}
