package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts the endpoints of a forward by cluster and state. */
@ControlConfined
public final class EndpointStates {
  private static final Connectivity[] STATES = Connectivity.values();

  private final Map<String, EndpointTally> byCluster = new LinkedHashMap<>();

  /**
   * The number of usable endpoints of a cluster in one state.
   *
   * @param count at least one
   */
  public record Count(String cluster, Connectivity state, int count) {}

  /** Returns the tally of {@code cluster}; clusters of the same name share a tally. */
  public EndpointTally of(String cluster) {
    return byCluster.computeIfAbsent(cluster, name -> new EndpointTally());
  }

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
