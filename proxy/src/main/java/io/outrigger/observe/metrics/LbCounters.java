package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.ConnectionGroup;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.WeightUpdate;
import java.util.Map;

/**
 * The counts of balancing over the life of the process. The counts of a removed cluster are kept,
 * so that counters never decrease.
 */
@ControlConfined
public final class LbCounters {
  private final OutlierCounters outliers = new OutlierCounters();
  private final ConnectionCounters connections = new ConnectionCounters();
  private final WeightCounters weights = new WeightCounters();

  /** All counts at one moment. */
  public record Counts(
      Map<OutlierCounters.Key, Long> outliers,
      Map<Place, ConnectionCounters.Counts> connections,
      Map<Place, WeightCounters.Counts> weights) {
    public static final Counts NONE = new Counts(Map.of(), Map.of(), Map.of());

    public Counts {
      outliers = Map.copyOf(outliers);
      connections = Map.copyOf(connections);
      weights = Map.copyOf(weights);
    }
  }

  /** Returns an observer that counts for {@code target}. */
  public LbObserver of(String target) {
    LbObserver ofOutliers = outliers.of(target);
    return new LbObserver() {
      @Override
      public void onEvent(LbEvent event) {
        ofOutliers.onEvent(event);
      }

      @Override
      public void onConnection(ConnectionGroup group, ConnectionEvent event) {
        connections.on(target, group, event);
      }

      @Override
      public void onWeights(WeightUpdate update) {
        weights.on(target, update);
      }
    };
  }

  /** Returns the counts so far. */
  public Counts counts() {
    return new Counts(outliers.counts(), connections.counts(), weights.counts());
  }
}
