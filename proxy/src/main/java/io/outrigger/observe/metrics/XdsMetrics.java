package io.outrigger.observe.metrics;

import static io.outrigger.observe.metrics.Instruments.counter;
import static io.outrigger.observe.metrics.Instruments.gauge;

import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.XdsStatusView;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.TreeMap;

/** The instruments of A78 "XdsClient", with A88's cache states, under Prometheus names. */
final class XdsMetrics {
  /** The target label of a client that serves all targets (decision proxy-0006). */
  private static final String ALL_TARGETS = "#all";

  /** The authority label of names that are not xdstp names. */
  private static final String OLD_STYLE = "#old";

  private final Map<Labels, Double> connected = new TreeMap<>();
  private final Map<Labels, Double> serverFailures = new TreeMap<>();
  private final Map<Labels, Double> valid = new TreeMap<>();
  private final Map<Labels, Double> invalid = new TreeMap<>();
  private final Map<Labels, Double> resources = new TreeMap<>();

  private XdsMetrics() {}

  static void addTo(XdsStatusView view, MetricSnapshots.Builder all) {
    var metrics = new XdsMetrics();
    view.clients().forEach(metrics::client);
    all.metricSnapshot(
            gauge(
                "grpc.xds_client.connected",
                "Whether the client has a working ADS stream to the server; 0 from a connectivity"
                    + " failure until the next response.",
                metrics.connected))
        .metricSnapshot(
            counter(
                "grpc.xds_client.server_failure",
                "Times that the server went unhealthy.",
                metrics.serverFailures))
        .metricSnapshot(
            counter(
                "grpc.xds_client.resource_updates_valid",
                "Resources received that were valid, changed or not.",
                metrics.valid))
        .metricSnapshot(
            counter(
                "grpc.xds_client.resource_updates_invalid",
                "Resources received that were not valid.",
                metrics.invalid))
        .metricSnapshot(
            gauge(
                "grpc.xds_client.resources",
                "Resources by authority, type and cache state.",
                metrics.resources));
  }

  private void client(XdsStatusView.Client client) {
    Labels target =
        Labels.of("grpc.target", client.scope().isEmpty() ? ALL_TARGETS : client.scope());
    for (XdsStatusView.Server server : client.servers()) {
      server(server, target.add("grpc.xds.server", server.uri()));
    }
    for (XdsStatusView.Resource resource : client.resources()) {
      Labels labels =
          target
              .add("grpc.xds.authority", resource.authority().orElse(OLD_STYLE))
              .add("grpc.xds.cache_state", resource.cacheStateLabel())
              .add("grpc.xds.resource_type", typeName(resource.typeUrl()));
      resources.merge(labels, 1.0, Double::sum);
    }
  }

  /**
   * Adds the metrics of a server. Several servers with one URI share their labels, so their counts
   * are summed, and the URI counts as connected only if all these servers are connected.
   */
  private void server(XdsStatusView.Server server, Labels labels) {
    if (server.asked()) { // an unused server is neither connected nor failed
      connected.merge(labels, server.connected() ? 1.0 : 0.0, Math::min);
    }
    serverFailures.merge(labels, (double) server.outages(), Double::sum);
    for (ResourceType<?> type : ResourceType.ALL) {
      Labels typed = labels.add("grpc.xds.resource_type", typeName(type.typeUrl()));
      XdsStatusView.Updates updates =
          server.updates().getOrDefault(type.label(), new XdsStatusView.Updates(0, 0));
      valid.merge(typed, (double) updates.valid(), Double::sum);
      invalid.merge(typed, (double) updates.invalid(), Double::sum);
    }
  }

  /** Returns a name such as {@code envoy.config.listener.v3.Listener}. */
  private static String typeName(String typeUrl) {
    return typeUrl.substring(typeUrl.lastIndexOf('/') + 1);
  }
}
