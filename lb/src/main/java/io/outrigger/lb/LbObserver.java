package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/**
 * Hears what happens in the trees of a target; log lines, metrics and the list of events implement
 * it. On the control loop.
 */
@ControlConfined
@FunctionalInterface
public interface LbObserver {
  /**
   * Nobody listens. A method: an interface with a constant has lambdas that no start-up cache
   * holds.
   */
  static LbObserver none() {
    return event -> {};
  }

  void onEvent(LbEvent event);

  /** One observer that tells this one, then {@code other}. */
  default LbObserver and(LbObserver other) {
    return event -> {
      onEvent(event);
      other.onEvent(event);
    };
  }
}
