package io.outrigger.proxy.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbEndpoint;
import io.outrigger.lb.NodeHead;
import io.outrigger.lb.NodeVisitor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts the endpoints of trees by cluster and state, while the trees are shown. */
@ControlConfined
public final class EndpointStates implements NodeVisitor {
  private static final Connectivity[] STATES = Connectivity.values();

  private final Map<String, int[]> byCluster = new LinkedHashMap<>();
  private int[] counts = new int[STATES.length];
  private int depth;

  /**
   * How many usable endpoints of a cluster are in a state.
   *
   * @param count at least one
   */
  public record Count(String cluster, Connectivity state, int count) {}

  @Override
  public void enter(NodeHead node) {
    if (depth++ == 0) {
      counts = byCluster.computeIfAbsent(node.name(), name -> new int[STATES.length]);
    }
  }

  @Override
  public void endpoint(LbEndpoint endpoint) {
    if (endpoint.health().isUsable()) { // nothing connects to the others
      counts[endpoint.state().ordinal()]++;
    }
  }

  @Override
  public void leave() {
    depth--;
  }

  /** The counts of all trees that were shown; clusters of one name count as one. */
  public List<Count> counts() {
    List<Count> all = new ArrayList<>();
    byCluster.forEach(
        (cluster, byState) -> {
          for (Connectivity state : STATES) {
            if (byState[state.ordinal()] > 0) {
              all.add(new Count(cluster, state, byState[state.ordinal()]));
            }
          }
        });
    return all;
  }
}
