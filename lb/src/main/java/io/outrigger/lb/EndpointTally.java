package io.outrigger.lb;

import io.outrigger.base.ControlConfined;

/**
 * How many endpoints are in each state. Policies that know without asking each endpoint say so
 * ({@link LbPolicy#count}); of others it takes what a visitor sees.
 */
@ControlConfined
public final class EndpointTally implements NodeVisitor {
  private final int[] counts = new int[Connectivity.values().length];

  /** {@code more} are in {@code state}. */
  public void add(Connectivity state, int more) {
    counts[state.ordinal()] += more;
  }

  /** How many are in {@code state}. */
  public int of(Connectivity state) {
    return counts[state.ordinal()];
  }

  @Override
  public void endpoint(LbEndpoint endpoint) {
    if (endpoint.health().isUsable()) { // nothing connects to the others
      add(endpoint.state(), 1);
    }
  }

  @Override
  public void enter(NodeHead node) {
    // Endpoints count, wherever they are.
  }

  @Override
  public void leave() {
    // As above.
  }
}
