package io.outrigger.proxy.metrics;

import static io.outrigger.proxy.metrics.MetricsText.add;
import static io.outrigger.proxy.metrics.MetricsText.counter;
import static io.outrigger.proxy.metrics.MetricsText.gauge;

import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.XdsStatusView;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.TreeMap;

/** The instruments of A78 "XdsClient", with A88's cache states, under Prometheus names. */
final class XdsMetrics {
  /** The target of a client that serves all targets; decision 0006. */
  private static final String ALL_TARGETS = "#all";

  /** The authority of names that are not xdstp. */
  private static final String OLD_STYLE = "#old";

  private final GaugeSnapshot.Builder connected =
      gauge(
          "grpc.xds_client.connected",
          "Whether the client has a working ADS stream to the server; 0 from a connectivity"
              + " failure until the next response.");
  private final CounterSnapshot.Builder serverFailures =
      counter("grpc.xds_client.server_failure", "Times that the server went unhealthy.");
  private final CounterSnapshot.Builder valid =
      counter(
          "grpc.xds_client.resource_updates_valid",
          "Resources received that were valid, changed or not.");
  private final CounterSnapshot.Builder invalid =
      counter(
          "grpc.xds_client.resource_updates_invalid", "Resources received that were not valid.");
  private final GaugeSnapshot.Builder resources =
      gauge("grpc.xds_client.resources", "Resources by authority, type and cache state.");

  private XdsMetrics() {}

  static void addTo(XdsStatusView view, MetricSnapshots.Builder all) {
    var metrics = new XdsMetrics();
    view.clients().forEach(metrics::client);
    all.metricSnapshot(metrics.connected.build())
        .metricSnapshot(metrics.serverFailures.build())
        .metricSnapshot(metrics.valid.build())
        .metricSnapshot(metrics.invalid.build())
        .metricSnapshot(metrics.resources.build());
  }

  private void client(XdsStatusView.Client client) {
    Labels target =
        Labels.of("grpc.target", client.scope().isEmpty() ? ALL_TARGETS : client.scope());
    for (XdsStatusView.Server server : client.servers()) {
      server(client, server, target.add("grpc.xds.server", server.uri()));
    }
    Map<Labels, Integer> counts = new TreeMap<>();
    for (XdsStatusView.Resource resource : client.resources()) {
      Labels labels =
          target
              .add("grpc.xds.authority", resource.authority().orElse(OLD_STYLE))
              .add("grpc.xds.cache_state", resource.cacheStateLabel())
              .add("grpc.xds.resource_type", typeName(resource.typeUrl()));
      counts.merge(labels, 1, Integer::sum);
    }
    counts.forEach((labels, count) -> add(resources, labels, count));
  }

  private void server(XdsStatusView.Client client, XdsStatusView.Server server, Labels labels) {
    if (client.uses(server)) { // one that nobody asks is neither connected nor broken
      add(connected, labels, server.connected() ? 1 : 0);
    }
    add(serverFailures, labels, server.outages());
    for (ResourceType<?> type : ResourceType.ALL) {
      Labels typed = labels.add("grpc.xds.resource_type", typeName(type.typeUrl()));
      XdsStatusView.Updates updates =
          server.updates().getOrDefault(type.label(), new XdsStatusView.Updates(0, 0));
      add(valid, typed, updates.valid());
      add(invalid, typed, updates.invalid());
    }
  }

  /** Such as {@code envoy.config.listener.v3.Listener}. */
  private static String typeName(String typeUrl) {
    return typeUrl.substring(typeUrl.lastIndexOf('/') + 1);
  }
}
