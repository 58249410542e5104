package io.outrigger.observe.metrics;

import io.outrigger.observe.metrics.Instruments.Points;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;

/** The metrics of served addresses: decisions of RBAC, and A118's handshakes of servers. */
final class ServeMetrics {
  private ServeMetrics() {}

  static void addTo(List<MetricsView.Serve> serves, Instruments all) {
    Points decisions =
        all.counter("outrigger_rbac_decisions", "Decisions of RBAC filters, by policy.");
    Points handshakes =
        all.counter("grpc.server.tls.handshakes", "TLS handshakes with callers, by result.");
    for (MetricsView.Serve serve : serves) {
      for (MetricsView.Decisions each : serve.decisions()) {
        Labels labels =
            Labels.of(
                "serve", serve.name(),
                "filter", each.filter(),
                "policy", each.policy(),
                "verdict", each.isAllowed() ? "allowed" : "denied");
        decisions.add(labels, each.count());
      }
      serve
          .handshakes()
          .forEach(
              (result, count) ->
                  handshakes.add(
                      Labels.of(
                          "grpc.tls.handshake.result",
                          result.toString(),
                          "grpc.tls.handshake.resumed",
                          "FULL_HANDSHAKE"),
                      count));
    }
  }
}
