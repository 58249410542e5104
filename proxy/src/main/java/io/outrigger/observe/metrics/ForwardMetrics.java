package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallTotals;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.observe.metrics.Instruments.Points;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.List;

/** The metrics of forwards in CONTRACT section 7: requests, connections, endpoints. */
@AnyThread
final class ForwardMetrics {
  private static final List<Long> BUCKET_MICROS =
      List.of(
          500L,
          1_000L,
          2_500L,
          5_000L,
          10_000L,
          25_000L,
          50_000L,
          100_000L,
          250_000L,
          500_000L,
          1_000_000L,
          2_500_000L,
          5_000_000L,
          10_000_000L);
  private static final double MICROS_PER_SECOND = 1e6;

  private final Points requests;
  private final Points started;
  private final Points cancelled;
  private final Points localReplies;
  private final Points retries;
  private final Points notReplayable;
  private final Points unlogged;
  private final Points requestBytes;
  private final Points responseBytes;
  private final Points active;
  private final Points queued;
  private final Points connections;
  private final Points refusedConnections;
  private final Points ready;
  private final Points endpoints;
  private final Instruments.Histogram durations;

  private ForwardMetrics(Instruments all) {
    requests = all.counter("outrigger_requests", "Requests that ended, by status.");
    started = all.counter("outrigger_requests_started", "Requests whose headers arrived.");
    cancelled = all.counter("outrigger_requests_cancelled", "Requests that the app gave up.");
    localReplies =
        all.counter("outrigger_local_replies", "Answers that the proxy made itself, by reason.");
    retries = all.counter("outrigger_retries", "Attempts after a failure, by kind.");
    notReplayable =
        all.counter(
            "outrigger_requests_not_replayable",
            "Requests that had outgrown what may be kept of them for a retry.");
    unlogged =
        all.counter(
            "outrigger_access_log_dropped",
            "Requests that are missing in the access log, since it could not be written as fast.");
    requestBytes = all.counter("outrigger_request_bytes", "Body bytes from apps.", Unit.BYTES);
    responseBytes = all.counter("outrigger_response_bytes", "Body bytes to apps.", Unit.BYTES);
    active = all.gauge("outrigger_requests_active", "Requests in progress.");
    queued =
        all.gauge("outrigger_requests_queued", "Requests that wait for names, picks or streams.");
    connections = all.gauge("outrigger_downstream_connections", "Local connections that are open.");
    refusedConnections =
        all.counter(
            "outrigger_downstream_connections_refused",
            "Local connections closed at once because there were too many (--max-connections).");
    ready =
        all.gauge(
            "outrigger_forward_ready", "1 when the forward has a configuration it can route with.");
    endpoints = all.gauge("outrigger_endpoints", "Endpoints by connectivity state.");
    durations =
        all.histogram(
            "outrigger_request_duration_seconds",
            "From the arrival of the request's headers to its end.",
            Unit.SECONDS);
  }

  static void addTo(List<MetricsView.Forward> forwards, Instruments all) {
    var metrics = new ForwardMetrics(all);
    forwards.forEach(metrics::forward);
  }

  private void forward(MetricsView.Forward forward) {
    CallTotals calls = forward.calls();
    Labels labels = Labels.of("forward", forward.name());
    for (RpcStatus.Code code : RpcStatus.Code.values()) {
      count(requests, labels.add("grpc_status", code.toString()), calls.byGrpcStatus(code));
    }
    for (int hundreds = 1; hundreds <= 5; hundreds++) {
      count(requests, labels.add("http_status", hundreds + "xx"), calls.byHttpClass(hundreds));
    }
    for (LocalReason reason : LocalReason.values()) {
      count(localReplies, labels.add("reason", reason.word()), calls.byLocalReason(reason));
    }
    started.add(labels, calls.started());
    cancelled.add(labels, calls.cancelled());
    retries.add(labels.add("kind", "policy"), calls.retried());
    retries.add(labels.add("kind", "transparent"), calls.transparentRetries());
    notReplayable.add(labels, calls.notReplayable());
    unlogged.add(labels, calls.unobserved());
    requestBytes.add(labels, calls.requestBytes());
    responseBytes.add(labels, calls.responseBytes());
    active.add(labels, calls.active());
    queued.add(labels, calls.queued());
    connections.add(labels, forward.connections());
    refusedConnections.add(labels, forward.refusedConnections());
    ready.add(labels, forward.ready() ? 1 : 0);
    durations.add(labels, buckets(calls), calls.totalMicros() / MICROS_PER_SECOND);
    for (EndpointStates.Count each : forward.endpoints()) {
      endpoints.add(
          labels.add("cluster", each.cluster()).add("state", each.state().toString()),
          each.count());
    }
  }

  /** Adds a count, unless it is zero. */
  private static void count(Points points, Labels labels, long count) {
    if (count > 0) {
      points.add(labels, count);
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
}
