package io.outrigger.xds.report;

import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsResponse;
import java.time.Duration;
import java.util.Set;

/**
 * What a server asks for.
 *
 * @param interval between two reports, at least {@link #SHORTEST}
 * @param all whether every cluster is to be reported; {@code clusters} means nothing then
 * @param clusters names; some of them may be unknown here, and are passed over
 */
record ReportPlan(Duration interval, boolean all, Set<String> clusters) {
  /**
   * What C-core holds to as well; what a server gets that asks for less, for nothing or nonsense.
   */
  static final Duration SHORTEST = Duration.ofSeconds(1); // decision xds-0002

  /** For a client the same as never, and short enough to count with. */
  static final Duration LONGEST = Duration.ofDays(36_525);

  ReportPlan {
    clusters = Set.copyOf(clusters);
  }

  /** Reads a response; there is none that cannot be read. */
  static ReportPlan of(LoadStatsResponse response) {
    return new ReportPlan(
        interval(response.getLoadReportingInterval()),
        response.getSendAllClusters(),
        Set.copyOf(response.getClustersList()));
  }

  /** Whether the load of {@code cluster} is to be reported. */
  boolean asksFor(String cluster) {
    return all || clusters.contains(cluster);
  }

  private static Duration interval(com.google.protobuf.Duration asked) {
    long seconds = asked.getSeconds();
    if (seconds < 0 || asked.getNanos() < 0) {
      return SHORTEST;
    }
    if (seconds >= LONGEST.toSeconds()) {
      return LONGEST;
    }
    Duration interval = Duration.ofSeconds(seconds, asked.getNanos());
    return interval.compareTo(SHORTEST) < 0 ? SHORTEST : interval;
  }

  @Override
  public String toString() {
    return (all ? "all clusters" : clusters.size() + " clusters") + " every " + interval;
  }
}
