package io.outrigger.lb.view;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.ConnectionEvent;

/**
 * Receives the events of a target's trees, for the metrics, the log and the event history. All
 * methods are called on the control loop.
 */
@ControlConfined
@FunctionalInterface
public interface LbObserver {
  void onEvent(LbEvent event);

  /** Called for each event of a connection; only metrics need this method (A94). */
  default void onConnection(ConnectionEvent.Group group, ConnectionEvent event) {}

  /** Called when a policy has applied new weights; only metrics need this method (A78). */
  default void onWeights(WeightUpdate update) {}

  /**
   * One update of the weights of a policy (A58, A78 "Weighted Round Robin LB Policy").
   *
   * @param locality the locality that the policy balances, as a metric label (A78); empty for a
   *     policy that balances several localities
   * @param isFallback whether all endpoints have the same weight, because too few weights are
   *     usable
   * @param notYetUsable the number of endpoints whose blackout period has not elapsed
   * @param stale the number of endpoints whose last report is too old
   * @param weights the weights of all endpoints; zero for an endpoint without a usable weight
   */
  @SuppressWarnings("ArrayRecordComponent") // instances are never compared
  record WeightUpdate(
      String cluster,
      String locality,
      boolean isFallback,
      int notYetUsable,
      int stale,
      double[] weights) {
    public WeightUpdate {
      weights = weights.clone();
    }
  }
}
