package io.outrigger.observe.metrics;

import io.outrigger.identity.certificate.CertificateView;
import io.outrigger.observe.metrics.Instruments.Points;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.status.OverlayStatus;
import io.outrigger.xds.status.XdsStatusView;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/**
 * The instruments of A78 "XdsClient" with the cache states of A88. The metrics of stored resources,
 * local policy and certificates are the proxy's own; gRPC defines none.
 */
final class XdsMetrics {
  /** The target label of a client that serves all targets (decision proxy-0006). */
  private static final String ALL_TARGETS = "#all";

  /** The authority label of names that are not xdstp names. */
  private static final String OLD_STYLE = "#old";

  private XdsMetrics() {}

  static void addTo(XdsStatusView view, Instruments all) {
    Points stale =
        all.gauge(
            "outrigger_xds_stale_resources",
            "Resources of an earlier process in use, because no control plane has answered.");
    stale.add(Labels.EMPTY, 0);
    Points resources =
        all.gauge("grpc.xds_client.resources", "Resources by authority, type and cache state.");
    for (XdsStatusView.Client client : view.clients()) {
      Labels target =
          Labels.of("grpc.target", client.scope().isEmpty() ? ALL_TARGETS : client.scope());
      for (XdsStatusView.Server server : client.servers()) {
        addServer(server, target.add("grpc.xds.server", server.uri()), all);
      }
      for (XdsStatusView.Resource resource : client.resources()) {
        Labels labels =
            target
                .add("grpc.xds.authority", resource.authority().orElse(OLD_STYLE))
                .add("grpc.xds.cache_state", resource.cacheStateLabel())
                .add("grpc.xds.resource_type", typeName(resource.typeUrl()));
        resources.add(labels, 1);
        stale.add(Labels.EMPTY, resource.isStale() ? 1 : 0);
      }
    }
  }

  /**
   * Adds the metrics of an xDS server. Servers with equal URIs have equal labels. The counts of
   * servers with equal URIs are summed; {@code connected} is 1 only if every server is connected.
   */
  private static void addServer(XdsStatusView.Server server, Labels labels, Instruments all) {
    if (server.inUse()) { // an unused server is neither connected nor failed
      all.gauge(
              "grpc.xds_client.connected",
              "Whether the client has a working ADS stream to the server; 0 from a connectivity"
                  + " failure until the next response.")
          .addMin(labels, server.connected() ? 1 : 0);
    }
    all.counter("grpc.xds_client.server_failure", "Times that the server went unhealthy.")
        .add(labels, server.outages());
    Points valid =
        all.counter(
            "grpc.xds_client.resource_updates_valid",
            "Resources received that were valid, changed or not.");
    Points invalid =
        all.counter(
            "grpc.xds_client.resource_updates_invalid", "Resources received that were not valid.");
    for (ResourceType<?> type : ResourceType.ALL) {
      Labels typed = labels.add("grpc.xds.resource_type", typeName(type.typeUrl()));
      XdsStatusView.Updates updates =
          server.updates().getOrDefault(type.label(), new XdsStatusView.Updates(0, 0));
      valid.add(typed, updates.valid());
      invalid.add(typed, updates.invalid());
    }
  }

  /** Returns a name such as {@code envoy.config.listener.v3.Listener}. */
  private static String typeName(String typeUrl) {
    return typeUrl.substring(typeUrl.lastIndexOf('/') + 1);
  }

  static void addOverlay(OverlayStatus overlay, Instruments all) {
    if (overlay.rules().isEmpty() && overlay.problems().isEmpty()) {
      return;
    }
    var rules =
        all.gauge("outrigger_overlay_rules", "Rules of local policy in use, by what they match.");
    long idle = overlay.rules().stream().filter(OverlayStatus.Rule::matchesNothing).count();
    rules.add(Labels.of("matches", "something"), overlay.rules().size() - idle);
    rules.add(Labels.of("matches", "nothing"), idle);
    var leftOut =
        all.gauge(
            "outrigger_overlay_left_out",
            "Resources to which the rule is not applied, since it would make them invalid.");
    for (OverlayStatus.Rule rule : overlay.rules()) {
      leftOut.add(Labels.of("rule", rule.rule().name()), rule.leftOut().size());
    }
    all.gauge(
            "outrigger_overlay_file_problems",
            "Errors in the files of local policy; the last valid rules stay in use.")
        .add(Labels.EMPTY, overlay.problems().size());
  }

  static void addCertificates(List<CertificateView.Provider> providers, Instruments all) {
    var expiration =
        all.gauge(
            "outrigger_certificate_expiration_timestamp_seconds",
            "Expiration of the provider's chain, in seconds since 1970.");
    for (CertificateView.Provider provider : providers) {
      Labels labels = Labels.of("instance", provider.instance());
      provider.expiry().ifPresent(end -> expiration.add(labels, end.getEpochSecond()));
    }
  }
}
