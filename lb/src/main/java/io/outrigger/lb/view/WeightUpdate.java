package io.outrigger.lb.view;

/**
 * One update of the weights of a policy (A58, A78 "Weighted Round Robin LB Policy").
 *
 * @param cluster the leaf cluster
 * @param locality the one that the policy balances in, in A78's form; empty when it stands above
 *     localities
 * @param isFallback whether there were too few weights, and all count the same
 * @param notYetUsable endpoints that have not reported long enough
 * @param stale endpoints that have not reported for too long
 * @param weights of all endpoints; zero for one without a usable weight
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
