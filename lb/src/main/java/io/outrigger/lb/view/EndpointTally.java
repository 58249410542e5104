package io.outrigger.lb.view;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.Connectivity;
import java.util.EnumMap;
import java.util.Map;

/**
 * How many endpoints are in each state. Policies that know the numbers add them in their {@code
 * count}; for others this counts as a visitor.
 */
@ControlConfined
public final class EndpointTally implements NodeVisitor {
  private final Map<Connectivity, Integer> counts = new EnumMap<>(Connectivity.class);

  /** {@code more} are in {@code state}. */
  public void add(Connectivity state, int more) {
    counts.merge(state, more, Integer::sum);
  }

  /** How many are in {@code state}. */
  public int of(Connectivity state) {
    return counts.getOrDefault(state, 0);
  }

  /** How many there are. */
  public int all() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * How many can be reached as far as is known: all but those whose last attempt failed and those
   * that outlier detection has ejected, which are in TRANSIENT_FAILURE for their policy. An
   * endpoint that was never tried counts as reachable.
   */
  public int reachable() {
    return all() - of(Connectivity.TRANSIENT_FAILURE);
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
