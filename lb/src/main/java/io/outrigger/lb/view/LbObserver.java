package io.outrigger.lb.view;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.ConnectionGroup;

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

  /**
   * Something became of a connection. Too much for people, it is counted (A94).
   *
   * @param group what it counts for
   */
  default void onConnection(ConnectionGroup group, ConnectionEvent event) {}

  /** Weights were put into force. Too much for people as well (A78). */
  default void onWeights(WeightUpdate update) {}

  /** One observer that tells this one, then {@code other}. */
  default LbObserver and(LbObserver other) {
    LbObserver first = this;
    return new LbObserver() {
      @Override
      public void onEvent(LbEvent event) {
        first.onEvent(event);
        other.onEvent(event);
      }

      @Override
      public void onConnection(ConnectionGroup group, ConnectionEvent event) {
        first.onConnection(group, event);
        other.onConnection(group, event);
      }

      @Override
      public void onWeights(WeightUpdate update) {
        first.onWeights(update);
        other.onWeights(update);
      }
    };
  }
}
