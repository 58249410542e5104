package io.outrigger.lb.load;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LocalityLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.lb.state.SubchannelCalls;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The sums of a cluster's call counts since the last load report. */
@ControlConfined
public final class LoadSums {
  private final Map<Locality, Sums> localities = new LinkedHashMap<>();
  private final Map<String, Long> drops = new HashMap<>();
  private long refused;

  /**
   * The sums of one locality. {@code issued} is negative if calls that an earlier report counted
   * were in fact never sent.
   */
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
      issued = Math.min(0, issued); // a negative sum reduces the next report
      succeeded = 0;
      failed = 0;
      metrics.clear();
      return Optional.of(load);
    }
  }

  /**
   * Adds the difference between two readings of the counts of a subchannel.
   *
   * @param now the later reading; all of its calls in progress are added, not the difference
   */
  public void add(Locality locality, SubchannelCalls before, SubchannelCalls now) {
    Sums sums = sums(locality);
    sums.issued += now.issued() - before.issued();
    sums.succeeded += now.succeeded() - before.succeeded();
    sums.failed += now.failed() - before.failed();
    sums.inProgress += now.active();
  }

  public void add(Locality locality, Map<String, MetricTotal> metrics) {
    if (!metrics.isEmpty()) {
      Map<String, MetricTotal> known = sums(locality).metrics;
      metrics.forEach((name, total) -> known.merge(name, total, MetricTotal::plus));
    }
  }

  public void addDrops(String category, long calls) {
    if (calls != 0) {
      drops.merge(category, calls, Long::sum);
    }
  }

  public void addRefused(long calls) {
    refused += calls;
  }

  /** Called before the meters add their current numbers of calls in progress. */
  void resetInProgress() {
    localities.values().forEach(sums -> sums.inProgress = 0);
  }

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
