package io.outrigger.lb.view;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.Connectivity;
import java.util.EnumMap;
import java.util.Map;

/** The number of endpoints in each state, counted by visiting a tree. */
@ControlConfined
public final class EndpointTally implements NodeVisitor {
  private final Map<Connectivity, Integer> counts = new EnumMap<>(Connectivity.class);

  public void add(Connectivity state, int more) {
    counts.merge(state, more, Integer::sum);
  }

  public int of(Connectivity state) {
    return counts.getOrDefault(state, 0);
  }

  public int all() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * The number of endpoints that are not in TRANSIENT_FAILURE. An endpoint is in TRANSIENT_FAILURE
   * if its last connection attempt failed or outlier detection has ejected it. An endpoint without
   * a connection attempt counts as reachable.
   */
  public int reachable() {
    return all() - of(Connectivity.TRANSIENT_FAILURE);
  }

  @Override
  public void endpoint(LbEndpoint endpoint) {
    if (endpoint.health().isUsable()) { // no policy connects to endpoints with another health
      add(endpoint.state(), 1);
    }
  }
}
