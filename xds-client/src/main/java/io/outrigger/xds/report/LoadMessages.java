package io.outrigger.xds.report;

import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterStats;
import io.envoyproxy.envoy.config.endpoint.v3.EndpointLoadMetricStats;
import io.envoyproxy.envoy.config.endpoint.v3.UnnamedEndpointLoadMetricStats;
import io.envoyproxy.envoy.config.endpoint.v3.UpstreamLocalityStats;
import io.envoyproxy.envoy.service.load_stats.v3.LoadStatsRequest;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LocalityLoad;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.xds.decode.WireNode;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;

final class LoadMessages {
  /** The client feature that permits a server to request reports of all clusters. */
  static final String SENDS_ALL_CLUSTERS = "envoy.lrs.supports_send_all_clusters";

  private LoadMessages() {}

  /** Returns the first request of a stream, the only request that contains the node. */
  static LoadStatsRequest first(WireNode node) {
    return LoadStatsRequest.newBuilder()
        .setUnknownFields(
            node.withFeature(SENDS_ALL_CLUSTERS).asField(LoadStatsRequest.NODE_FIELD_NUMBER))
        .build();
  }

  static LoadStatsRequest report(List<ClusterLoad> loads) {
    var request = LoadStatsRequest.newBuilder();
    loads.forEach(load -> request.addClusterStats(cluster(load)));
    return request.build();
  }

  private static ClusterStats cluster(ClusterLoad load) {
    var stats =
        ClusterStats.newBuilder()
            .setClusterName(load.cluster())
            .setClusterServiceName(load.edsServiceName())
            .setTotalDroppedRequests(load.dropped())
            .setLoadReportInterval(duration(load.interval()));
    new TreeMap<>(load.drops())
        .forEach(
            (category, calls) ->
                stats.addDroppedRequestsBuilder().setCategory(category).setDroppedCount(calls));
    load.localities().forEach(locality -> stats.addUpstreamLocalityStats(locality(locality)));
    return stats.build();
  }

  private static UpstreamLocalityStats locality(LocalityLoad load) {
    var stats =
        UpstreamLocalityStats.newBuilder()
            .setLocality(
                Locality.newBuilder()
                    .setRegion(load.locality().region())
                    .setZone(load.locality().zone())
                    .setSubZone(load.locality().subZone()))
            .setTotalIssuedRequests(load.issued())
            .setTotalSuccessfulRequests(load.succeeded())
            .setTotalErrorRequests(load.failed())
            .setTotalRequestsInProgress(load.inProgress());
    new TreeMap<>(load.metrics()).forEach((name, total) -> add(stats, name, total));
    return stats.build();
  }

  /** Adds a metric. CPU, memory and application utilization have their own fields (A85). */
  private static void add(UpstreamLocalityStats.Builder stats, String name, MetricTotal total) {
    switch (name) {
      case PropagatedMetrics.CPU_UTILIZATION -> stats.setCpuUtilization(unnamed(total));
      case PropagatedMetrics.MEM_UTILIZATION -> stats.setMemUtilization(unnamed(total));
      case PropagatedMetrics.APPLICATION_UTILIZATION ->
          stats.setApplicationUtilization(unnamed(total));
      default ->
          stats.addLoadMetricStats(
              EndpointLoadMetricStats.newBuilder()
                  .setMetricName(name)
                  .setNumRequestsFinishedWithMetric(total.requests())
                  .setTotalMetricValue(total.sum()));
    }
  }

  private static UnnamedEndpointLoadMetricStats unnamed(MetricTotal total) {
    return UnnamedEndpointLoadMetricStats.newBuilder()
        .setNumRequestsFinishedWithMetric(total.requests())
        .setTotalMetricValue(total.sum())
        .build();
  }

  private static com.google.protobuf.Duration duration(Duration duration) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(duration.getSeconds())
        .setNanos(duration.getNano())
        .build();
  }
}
