package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LocalityLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.lb.state.CallTotals;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the meters of a cluster have counted and nobody has reported yet. */
@ControlConfined
public final class LoadSums {
  private final Map<Locality, Sums> localities = new LinkedHashMap<>();
  private final Map<String, Long> drops = new HashMap<>();
  private long refused;

  /** The sums of one locality; signed, see {@link #taken}. */
  private static final class Sums {
    private final Map<String, MetricTotal> metrics = new HashMap<>();
    private long issued;
    private long succeeded;
    private long failed;
    private long inProgress;

    Optional<LocalityLoad> take(Locality locality) {
      if (issued <= 0 && succeeded == 0 && failed == 0 && inProgress == 0 && metrics.isEmpty()) {
        return Optional.empty(); // A64-03
      }
      var load =
          new LocalityLoad(
              locality, Math.max(0, issued), succeeded, failed, inProgress, Map.copyOf(metrics));
      issued = taken(issued);
      succeeded = 0;
      failed = 0;
      metrics.clear();
      return Optional.of(load);
    }
  }

  /**
   * What is left of a sum once it was reported. A call that was counted as issued and then never
   * sent is taken back, which may make a sum negative: the next one pays for it.
   */
  private static long taken(long sum) {
    return Math.min(0, sum);
  }

  /**
   * Adds what happened between two looks at the counts of a subchannel.
   *
   * @param now also says what is in progress
   */
  public void add(Locality locality, CallTotals before, CallTotals now) {
    Sums sums = sums(locality);
    sums.issued += now.issued() - before.issued();
    sums.succeeded += now.succeeded() - before.succeeded();
    sums.failed += now.failed() - before.failed();
    sums.inProgress += now.active();
  }

  /** Adds what backends in a locality said of themselves. */
  public void add(Locality locality, Map<String, MetricTotal> metrics) {
    if (!metrics.isEmpty()) {
      Map<String, MetricTotal> known = sums(locality).metrics;
      metrics.forEach((name, total) -> known.merge(name, total, MetricTotal::plus));
    }
  }

  /** Adds dropped calls of a category. */
  public void addDrops(String category, long calls) {
    if (calls != 0) {
      drops.merge(category, calls, Long::sum);
    }
  }

  /** Adds calls that the circuit breaker refused. */
  public void addRefused(long calls) {
    refused += calls;
  }

  /** Forgets what is in progress: every meter is about to say it again. */
  void beginLook() {
    localities.values().forEach(sums -> sums.inProgress = 0);
  }

  /** The sums, which begin anew. */
  ClusterLoad take(String cluster, String edsServiceName, Duration interval) {
    List<LocalityLoad> active =
        localities.entrySet().stream()
            .flatMap(entry -> entry.getValue().take(entry.getKey()).stream())
            .toList();
    var load = new ClusterLoad(cluster, edsServiceName, interval, drops, refused, active);
    localities.values().removeIf(sums -> sums.issued == 0);
    drops.clear();
    refused = 0;
    return load;
  }

  private Sums sums(Locality locality) {
    return localities.computeIfAbsent(locality, absent -> new Sums());
  }
}
