package io.outrigger.lb.view;

/**
 * One update of the weights of a policy (A58, A78 "Weighted Round Robin LB Policy").
 *
 * @param locality the locality that the policy balances, in A78's form; empty for a policy that
 *     balances several localities
 * @param isFallback whether there were too few usable weights, so that all endpoints have the same
 *     weight
 * @param notYetUsable the number of endpoints that have not reported for long enough
 * @param stale the number of endpoints whose last report is too old
 * @param weights the weights of all endpoints; zero for an endpoint without a usable weight
 */
@SuppressWarnings("ArrayRecordComponent") // read once, never compared
public record WeightUpdate(
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
