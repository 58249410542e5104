package io.outrigger.lb.view;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.ConnectionGroup;

/**
 * Receives the events of a target's trees; log lines, metrics and the list of events implement it.
 * On the control loop.
 */
@ControlConfined
@FunctionalInterface
public interface LbObserver {
  /**
   * An observer that does nothing. A method, because the start-up cache holds no lambda of an
   * interface's constant.
   */
  static LbObserver none() {
    return event -> {};
  }

  void onEvent(LbEvent event);

  /**
   * A connection was made, lost or changed. Too frequent for logs; metrics count it (A94).
   *
   * @param group the cluster and locality that it counts for
   */
  default void onConnection(ConnectionGroup group, ConnectionEvent event) {}

  /** Weights were put into force. Too frequent for logs (A78). */
  default void onWeights(WeightUpdate update) {}

  /** An observer that passes events to this one, then to {@code other}. */
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
