package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many endpoints the clusters of a forward have in each state. */
@ControlConfined
public final class EndpointStates {
  private static final Connectivity[] STATES = Connectivity.values();

  private final Map<String, EndpointTally> byCluster = new LinkedHashMap<>();

  /**
   * How many usable endpoints of a cluster are in a state.
   *
   * @param count at least one
   */
  public record Count(String cluster, Connectivity state, int count) {}

  /** What {@code cluster} is counted in; clusters of one name count as one. */
  public EndpointTally of(String cluster) {
    return byCluster.computeIfAbsent(cluster, name -> new EndpointTally());
  }

  /** All that was counted. */
  public List<Count> counts() {
    List<Count> all = new ArrayList<>();
    byCluster.forEach(
        (cluster, tally) -> {
          for (Connectivity state : STATES) {
            if (tally.of(state) > 0) {
              all.add(new Count(cluster, state, tally.of(state)));
            }
          }
        });
    return all;
  }
}
