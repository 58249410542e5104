package io.outrigger.config.cluster;

/** The endpoint-picking policy of a cluster (A27, A52). */
public sealed interface BalancingPolicy {
  /** Localities by weight, {@code child} within each. */
  record WrrLocality(BalancingPolicy child) implements BalancingPolicy {}

  /** Each READY endpoint in turn. */
  record RoundRobin() implements BalancingPolicy {}

  /** The first endpoint that connects (A62). */
  record PickFirst(boolean shuffle) implements BalancingPolicy {}

  /** What {@code lb_policy: ROUND_ROBIN} means (A52-04). */
  BalancingPolicy DEFAULT = new WrrLocality(new RoundRobin());
}
