package io.outrigger.observe.metrics;

import static io.outrigger.observe.metrics.Instruments.add;
import static io.outrigger.observe.metrics.Instruments.counter;
import static io.outrigger.observe.metrics.Instruments.gauge;
import static io.outrigger.observe.metrics.Instruments.histogram;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;

/**
 * The instruments of balancing: A78 "Weighted Round Robin LB Policy", A91, A94, with the labels of
 * A89.
 */
final class LbMetrics {
  /** The label that distinguishes plaintext and TLS connections to backends. */
  private static final String SECURITY_LEVEL = "grpc.security_level";

  private LbMetrics() {}

  static void addTo(LbCounters.Counts counts, MetricSnapshots.Builder all) {
    addOutliers(counts.outliers(), all);
    addConnections(counts.connections(), all);
    addWeights(counts.weights(), all);
  }

  /** Adds the instruments of A91; {@code grpc.lb.backend_service} is the cluster (A89). */
  private static void addOutliers(
      Map<OutlierCounters.Key, Long> counts, MetricSnapshots.Builder all) {
    var enforced =
        counter(
            "grpc.lb.outlier_detection.ejections_enforced",
            "Enforced outlier ejections by ejection reason.");
    var unenforced =
        counter(
            "grpc.lb.outlier_detection.ejections_unenforced",
            "Outliers that stayed, for the share of ejections or by the enforcement percentage.");
    counts.forEach(
        (key, count) -> {
          Labels labels =
              Labels.of(
                  "grpc.target", key.target(),
                  "grpc.lb.backend_service", key.cluster(),
                  "grpc.lb.outlier_detection.detection_method", key.method());
          key.unenforcedReason()
              .ifPresentOrElse(
                  reason ->
                      add(
                          unenforced,
                          labels.add("grpc.lb.outlier_detection.unenforced_reason", reason),
                          count),
                  () -> add(enforced, labels, count));
        });
    all.metricSnapshot(enforced.build()).metricSnapshot(unenforced.build());
  }

  private static void addConnections(
      Map<Place, ConnectionCounters.Counts> places, MetricSnapshots.Builder all) {
    var disconnections =
        counter("grpc.subchannel.disconnections", "Connections that ended, by reason.");
    var succeeded =
        counter("grpc.subchannel.connection_attempts_succeeded", "Connections that came about.");
    var failed = counter("grpc.subchannel.connection_attempts_failed", "Connections that did not.");
    var open = gauge("grpc.subchannel.open_connections", "Connections that are open.");
    var handshakes = counter("grpc.client.tls.handshakes", "TLS handshakes, by what they came to.");
    places.forEach(
        (place, counts) -> {
          Labels labels = place.labels();
          counts
              .lost()
              .forEach(
                  (error, count) ->
                      add(disconnections, labels.add("grpc.disconnect_error", error), count));
          add(succeeded, labels, counts.succeeded());
          add(failed, labels, counts.failed());
          if (counts.openPlain() > 0 || counts.openSecure() == 0) {
            add(open, labels.add(SECURITY_LEVEL, "none"), counts.openPlain());
          }
          if (counts.openSecure() > 0) {
            add(open, labels.add(SECURITY_LEVEL, "privacy_and_integrity"), counts.openSecure());
          }
          counts
              .handshakes()
              .forEach(
                  (result, count) ->
                      add(
                          handshakes,
                          labels
                              .add("grpc.tls.handshake.resumed", "FULL_HANDSHAKE")
                              .add("grpc.tls.handshake.result", result.toString()),
                          count));
        });
    all.metricSnapshot(disconnections.build())
        .metricSnapshot(succeeded.build())
        .metricSnapshot(failed.build())
        .metricSnapshot(open.build())
        .metricSnapshot(handshakes.build());
  }

  private static void addWeights(
      Map<Place, WeightCounters.Counts> places, MetricSnapshots.Builder all) {
    var fallback =
        counter(
            "grpc.lb.wrr.rr_fallback",
            "Updates with too few weights, which left all endpoints with the same.");
    var notYetUsable =
        counter(
            "grpc.lb.wrr.endpoint_weight_not_yet_usable",
            "Endpoints at each update that had not reported for the blackout period.");
    var stale =
        counter(
            "grpc.lb.wrr.endpoint_weight_stale",
            "Endpoints at each update whose last report was too old.");
    var weights =
        histogram(
            "grpc.lb.wrr.endpoint_weights",
            "Weights of endpoints at each update; 0 for those without.");
    places.forEach(
        (place, counts) -> {
          Labels labels = place.labels();
          add(fallback, labels, counts.fallbacks());
          add(notYetUsable, labels, counts.notYetUsable());
          add(stale, labels, counts.stale());
          weights.dataPoint(counts.weights().point(labels));
        });
    all.metricSnapshot(fallback.build())
        .metricSnapshot(notYetUsable.build())
        .metricSnapshot(stale.build())
        .metricSnapshot(weights.build());
  }
}
