package io.outrigger.observe.metrics;

import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.AttemptPlace;
import io.outrigger.dataplane.calls.MethodTotals;
import io.outrigger.dataplane.calls.MethodTotals.Measured;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The client instruments of A66 and those of A96, with the labels of A89 and A78. All forwards to
 * the same target count as one client.
 */
final class CallMetrics {
  private static final double NANOS = 1e9;
  private static final double BYTES = 1;
  private static final double NUMBER = 1;

  /** Points by their labels, so that equal labels of several forwards become one point. */
  private final Map<Labels, Double> started = new TreeMap<>();

  private final Map<Labels, Measured> calls = new TreeMap<>();
  private final Map<Labels, Measured> attempts = new TreeMap<>();
  private final Map<Labels, Measured> sent = new TreeMap<>();
  private final Map<Labels, Measured> received = new TreeMap<>();
  private final Map<Labels, Measured> retries = new TreeMap<>();
  private final Map<Labels, Measured> transparentRetries = new TreeMap<>();
  private final Map<Labels, Measured> retryDelays = new TreeMap<>();

  private final Map<Labels, Measured> callDelays = new TreeMap<>();
  private final Map<Labels, Measured> attemptDelays = new TreeMap<>();

  private CallMetrics() {}

  static void addTo(List<MetricsView.Forward> forwards, Instruments all) {
    var metrics = new CallMetrics();
    for (MetricsView.Forward forward : forwards) {
      forward
          .calls()
          .methods()
          .forEach(
              (method, totals) ->
                  metrics.method(
                      Labels.of("grpc.method", method, "grpc.target", forward.target()), totals));
    }
    metrics.addTo(all);
  }

  private void method(Labels labels, MethodTotals totals) {
    started.merge(labels, (double) totals.attempts(), Double::sum);
    totals.calls().forEach((code, durations) -> put(calls, with(labels, code), durations));
    totals
        .ended()
        .forEach(
            (place, byCode) ->
                byCode.forEach(
                    (code, ended) -> {
                      Labels full = with(with(labels, code), place);
                      put(attempts, full, ended.durations());
                      put(sent, full, ended.sent());
                      put(received, full, ended.received());
                    }));
    put(retries, labels, totals.retries());
    put(transparentRetries, labels, totals.transparentRetries());
    put(retryDelays, labels, totals.retryDelays());
    totals.callDelays().forEach((type, delays) -> put(callDelays, delayed(labels, type), delays));
    totals
        .attemptDelays()
        .forEach((type, delays) -> put(attemptDelays, delayed(labels, type), delays));
  }

  private static Labels delayed(Labels labels, String type) {
    return labels.add("grpc.delay_type", type);
  }

  private static Labels with(Labels labels, RpcStatus.Code code) {
    return labels.add("grpc.status", code.toString());
  }

  private static Labels with(Labels labels, AttemptPlace place) {
    Labels placed = labels.add("grpc.lb.backend_service", place.cluster());
    return place
        .locality()
        .map(locality -> placed.add("grpc.lb.locality", locality))
        .orElse(placed);
  }

  private static void put(Map<Labels, Measured> points, Labels labels, Measured more) {
    points.computeIfAbsent(labels, l -> more.empty()).add(more);
  }

  private void addTo(Instruments all) {
    Instruments.Points attemptsStarted =
        all.counter(
            "grpc.client.attempt.started", "Attempts that began, those in progress included.");
    started.forEach(attemptsStarted::add);
    points(
        attempts,
        NANOS,
        all.histogram(
            "grpc.client.attempt.duration_seconds",
            "Time of attempts, picks included.",
            Unit.SECONDS));
    points(
        sent,
        BYTES,
        all.histogram(
            "grpc.client.attempt.sent_total_compressed_message_size_bytes",
            "Bytes of messages sent by an attempt, as they were on the wire.",
            Unit.BYTES));
    points(
        received,
        BYTES,
        all.histogram(
            "grpc.client.attempt.rcvd_total_compressed_message_size_bytes",
            "Bytes of messages received by an attempt, as they were on the wire.",
            Unit.BYTES));
    points(
        calls,
        NANOS,
        all.histogram("grpc.client.call.duration_seconds", "Time of calls.", Unit.SECONDS));
    points(
        retries,
        NUMBER,
        all.histogram("grpc.client.call.retries", "Retries of calls that had any.", null));
    points(
        transparentRetries,
        NUMBER,
        all.histogram(
            "grpc.client.call.transparent_retries",
            "Transparent retries of calls that had any.",
            null));
    points(
        retryDelays,
        NANOS,
        all.histogram(
            "grpc.client.call.retry_delay_seconds",
            "Time without an attempt of calls that had retries.",
            Unit.SECONDS));
    if (!callDelays.isEmpty()) { // delays are measured only on request (A121)
      points(
          callDelays,
          NANOS,
          all.histogram(
              "grpc.client.call.delay.duration_seconds",
              "Time that calls waited for their configuration. EXPERIMENTAL.",
              Unit.SECONDS));
    }
    if (!attemptDelays.isEmpty()) {
      points(
          attemptDelays,
          NANOS,
          all.histogram(
              "grpc.client.attempt.delay.duration_seconds",
              "Time that attempts waited for a pick. EXPERIMENTAL.",
              Unit.SECONDS));
    }
  }

  /**
   * @param parts the number of measured units in one exported unit
   */
  private static void points(
      Map<Labels, Measured> points, double parts, Instruments.Histogram histogram) {
    points.forEach(
        (labels, measured) -> {
          var buckets = ClassicHistogramBuckets.builder();
          int last = measured.buckets() - 1;
          for (int i = 0; i < last; i++) {
            buckets.bucket(measured.bound(i) / parts, measured.count(i));
          }
          buckets.bucket(Double.POSITIVE_INFINITY, measured.count(last));
          histogram.add(labels, buckets.build(), measured.sum() / parts);
        });
  }
}
