package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import java.time.Duration;
import java.util.Set;

/**
 * The reports that a server requests.
 *
 * @param interval the interval between two reports, at least {@link #MIN_INTERVAL}
 * @param all whether every cluster is reported; {@code clusters} is ignored then
 * @param clusters the names of the clusters to report; unknown names are ignored
 */
record ReportPlan(Duration interval, boolean all, Set<String> clusters) {
  /**
   * The minimum interval between two reports, the same as in gRPC C-core, which replaces shorter,
   * absent and invalid intervals.
   */
  static final Duration MIN_INTERVAL = Duration.ofSeconds(1); // decision xds-0002

  /**
   * The maximum interval between two reports. This interval never ends in practice, and its
   * nanoseconds fit into a long.
   */
  static final Duration MAX_INTERVAL = Duration.ofDays(36_525);

  ReportPlan {
    clusters = Set.copyOf(clusters);
  }

  static ReportPlan of(LoadStatsResponse response) {
    return new ReportPlan(
        interval(response.getLoadReportingInterval()),
        response.getSendAllClusters(),
        Set.copyOf(response.getClustersList()));
  }

  boolean asksFor(String cluster) {
    return all || clusters.contains(cluster);
  }

  private static Duration interval(com.google.protobuf.Duration asked) {
    long seconds = asked.getSeconds();
    if (seconds < 0 || asked.getNanos() < 0) {
      return MIN_INTERVAL;
    }
    if (seconds >= MAX_INTERVAL.toSeconds()) {
      return MAX_INTERVAL;
    }
    Duration interval = Duration.ofSeconds(seconds, asked.getNanos());
    return interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
  }

  @Override
  public String toString() {
    return (all ? "all clusters" : clusters.size() + " clusters") + " every " + interval;
  }
}
