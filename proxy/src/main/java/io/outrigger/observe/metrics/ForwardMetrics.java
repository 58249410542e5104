package io.outrigger.observe.metrics;

import static io.outrigger.observe.metrics.Instruments.add;
import static io.outrigger.observe.metrics.Instruments.counter;
import static io.outrigger.observe.metrics.Instruments.gauge;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallTotals;
import io.outrigger.dataplane.calls.LocalReason;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.List;

/** The metrics of forwards in CONTRACT section 7: requests, connections, endpoints. */
@AnyThread
final class ForwardMetrics {
  private static final long[] BUCKET_MICROS = {
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000
  };
  private static final double MICROS_PER_SECOND = 1e6;

  private final CounterSnapshot.Builder requests =
      counter("outrigger_requests", "Requests that ended, by status.");
  private final CounterSnapshot.Builder started =
      counter("outrigger_requests_started", "Requests whose headers arrived.");
  private final CounterSnapshot.Builder cancelled =
      counter("outrigger_requests_cancelled", "Requests that the app gave up.");
  private final CounterSnapshot.Builder localReplies =
      counter("outrigger_local_replies", "Answers that the proxy made itself, by reason.");
  private final CounterSnapshot.Builder retries =
      counter("outrigger_retries", "Attempts after a failure, by kind.");
  private final CounterSnapshot.Builder notReplayable =
      counter(
          "outrigger_requests_not_replayable",
          "Requests that had outgrown what may be kept of them for a retry.");
  private final CounterSnapshot.Builder unlogged =
      counter(
          "outrigger_access_log_dropped",
          "Requests that are missing in the access log, since it could not be written as fast.");
  private final CounterSnapshot.Builder requestBytes =
      counter("outrigger_request_bytes", "Body bytes from apps.").unit(Unit.BYTES);
  private final CounterSnapshot.Builder responseBytes =
      counter("outrigger_response_bytes", "Body bytes to apps.").unit(Unit.BYTES);
  private final GaugeSnapshot.Builder active =
      gauge("outrigger_requests_active", "Requests in progress.");
  private final GaugeSnapshot.Builder queued =
      gauge("outrigger_requests_queued", "Requests that wait for names, picks or streams.");
  private final GaugeSnapshot.Builder connections =
      gauge("outrigger_downstream_connections", "Local connections that are open.");
  private final CounterSnapshot.Builder refusedConnections =
      counter(
          "outrigger_downstream_connections_refused",
          "Local connections closed at once because there were too many (--max-connections).");
  private final GaugeSnapshot.Builder ready =
      gauge("outrigger_forward_ready", "1 when the forward has a configuration it can route with.");
  private final GaugeSnapshot.Builder endpoints =
      gauge("outrigger_endpoints", "Endpoints by connectivity state.");
  private final HistogramSnapshot.Builder durations =
      HistogramSnapshot.builder()
          .name("outrigger_request_duration_seconds")
          .unit(Unit.SECONDS)
          .help("From the arrival of the request's headers to its end.");

  private ForwardMetrics() {}

  static void addTo(List<MetricsView.Forward> forwards, MetricSnapshots.Builder all) {
    var metrics = new ForwardMetrics();
    forwards.forEach(metrics::forward);
    metrics.addTo(all);
  }

  private void forward(MetricsView.Forward forward) {
    CallTotals calls = forward.calls();
    String name = forward.name();
    Labels labels = Labels.of("forward", name);
    for (RpcStatus.Code code : RpcStatus.Code.values()) {
      if (calls.byGrpcStatus(code) > 0) {
        add(
            requests,
            Labels.of("forward", name, "grpc_status", code.toString()),
            calls.byGrpcStatus(code));
      }
    }
    for (int hundreds = 1; hundreds <= 5; hundreds++) {
      if (calls.byHttpClass(hundreds) > 0) {
        add(
            requests,
            Labels.of("forward", name, "http_status", hundreds + "xx"),
            calls.byHttpClass(hundreds));
      }
    }
    for (LocalReason reason : LocalReason.values()) {
      if (calls.byLocalReason(reason) > 0) {
        add(
            localReplies,
            Labels.of("forward", name, "reason", reason.word()),
            calls.byLocalReason(reason));
      }
    }
    add(started, labels, calls.started());
    add(cancelled, labels, calls.cancelled());
    add(retries, Labels.of("forward", name, "kind", "policy"), calls.retried());
    add(retries, Labels.of("forward", name, "kind", "transparent"), calls.transparentRetries());
    add(notReplayable, labels, calls.notReplayable());
    add(unlogged, labels, calls.unobserved());
    add(requestBytes, labels, calls.requestBytes());
    add(responseBytes, labels, calls.responseBytes());
    add(active, labels, calls.active());
    add(queued, labels, calls.queued());
    add(connections, labels, forward.connections());
    add(refusedConnections, labels, forward.refusedConnections());
    add(ready, labels, forward.ready() ? 1 : 0);
    durations.dataPoint(
        HistogramSnapshot.HistogramDataPointSnapshot.builder()
            .labels(labels)
            .classicHistogramBuckets(buckets(calls))
            .sum(calls.totalMicros() / MICROS_PER_SECOND)
            .build());
    for (EndpointStates.Count each : forward.endpoints()) {
      add(
          endpoints,
          Labels.of("forward", name, "cluster", each.cluster(), "state", each.state().toString()),
          each.count());
    }
  }

  private static ClassicHistogramBuckets buckets(CallTotals calls) {
    var buckets = ClassicHistogramBuckets.builder();
    long below = 0;
    for (long micros : BUCKET_MICROS) {
      long within = calls.endedWithin(micros);
      buckets.bucket(micros / MICROS_PER_SECOND, within - below);
      below = within;
    }
    buckets.bucket(Double.POSITIVE_INFINITY, calls.endedWithin(Long.MAX_VALUE) - below);
    return buckets.build();
  }

  private void addTo(MetricSnapshots.Builder all) {
    all.metricSnapshot(requests.build())
        .metricSnapshot(started.build())
        .metricSnapshot(cancelled.build())
        .metricSnapshot(localReplies.build())
        .metricSnapshot(retries.build())
        .metricSnapshot(notReplayable.build())
        .metricSnapshot(unlogged.build())
        .metricSnapshot(requestBytes.build())
        .metricSnapshot(responseBytes.build())
        .metricSnapshot(active.build())
        .metricSnapshot(queued.build())
        .metricSnapshot(connections.build())
        .metricSnapshot(refusedConnections.build())
        .metricSnapshot(ready.build())
        .metricSnapshot(endpoints.build())
        .metricSnapshot(durations.build());
  }
}
