package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallStats;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.observe.metrics.Instruments.Points;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The metrics of forwards and served addresses: requests, connections, endpoints, decisions of
 * RBAC, and A118's handshakes of servers.
 */
@AnyThread
final class ForwardMetrics {
  private static final long[] BUCKET_NANOS =
      DoubleStream.of(.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
          .mapToLong(millis -> (long) (millis * 1_000_000))
          .toArray();
  private static final double NANOS_PER_SECOND = 1e9;

  private final Instruments all;
  private final Points decisions;
  private final Points handshakes;

  private ForwardMetrics(Instruments all) {
    this.all = all;
    decisions = all.counter("outrigger_rbac_decisions", "Decisions of RBAC filters, by policy.");
    handshakes =
        all.counter("grpc.server.tls.handshakes", "TLS handshakes with callers, by result.");
  }

  static void addTo(
      List<MetricsView.Forward> forwards, List<MetricsView.Serve> serves, Instruments all) {
    var metrics = new ForwardMetrics(all);
    forwards.forEach(metrics::forward);
    serves.forEach(metrics::serve);
  }

  private void serve(MetricsView.Serve serve) {
    Labels labels = Labels.of("serve", serve.name());
    calls(labels, serve.calls());
    connections(labels, serve.connections());
    all.gauge("outrigger_serve_ready", "1 when the address is served and its app can be reached.")
        .add(labels, serve.ready() ? 1 : 0);
    for (MetricsView.Decisions each : serve.decisions()) {
      decisions.add(
          labels
              .add("filter", each.filter())
              .add("policy", each.policy())
              .add("verdict", each.isAllowed() ? "allowed" : "denied"),
          each.count());
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

  private void forward(MetricsView.Forward forward) {
    Labels labels = Labels.of("forward", forward.name());
    calls(labels, forward.calls());
    connections(labels, forward.connections());
    all.gauge(
            "outrigger_forward_ready", "1 when the forward has a configuration it can route with.")
        .add(labels, forward.ready() ? 1 : 0);
    forward
        .endpoints()
        .forEach(
            (cluster, tally) -> {
              for (Connectivity state : Connectivity.values()) {
                if (tally.of(state) > 0) {
                  all.gauge("outrigger_endpoints", "Endpoints by connectivity state.")
                      .add(
                          labels.add("cluster", cluster).add("state", state.toString()),
                          tally.of(state));
                }
              }
            });
  }

  private void connections(Labels labels, int count) {
    all.gauge("outrigger_downstream_connections", "Open connections of apps and callers.")
        .add(labels, count);
  }

  private void calls(Labels labels, CallStats.Totals calls) {
    Points requests = all.counter("outrigger_requests", "Requests that ended, by status.");
    calls
        .byGrpcStatus()
        .forEach((status, count) -> requests.add(labels.add("grpc_status", status), count));
    calls
        .byHttpClass()
        .forEach((status, count) -> requests.add(labels.add("http_status", status), count));
    Points replies =
        all.counter("outrigger_local_replies", "Replies of the proxy itself, by reason.");
    calls
        .byLocalReason()
        .forEach((reason, count) -> replies.add(labels.add("reason", reason), count));
    all.counter(
            "outrigger_downstream_connections_refused",
            "Connections closed at once because of --max-connections, open files or memory.")
        .add(labels, calls.count(CallCounter.REFUSED_CONNECTIONS));
    all.counter("outrigger_requests_started", "Requests whose headers arrived.")
        .add(labels, calls.count(CallCounter.STARTED));
    all.counter("outrigger_requests_cancelled", "Requests that the app or caller cancelled.")
        .add(labels, calls.count(CallCounter.CANCELLED));
    Points retries = all.counter("outrigger_retries", "Attempts after a failure, by kind.");
    retries.add(labels.add("kind", "policy"), calls.count(CallCounter.RETRIED));
    retries.add(labels.add("kind", "transparent"), calls.count(CallCounter.TRANSPARENT_RETRIES));
    all.counter(
            "outrigger_requests_not_replayable",
            "Requests that were too large to be kept for a retry.")
        .add(labels, calls.count(CallCounter.NOT_REPLAYABLE));
    all.counter(
            "outrigger_access_log_dropped",
            "Requests that are missing from the access log, which could not be written, or not"
                + " fast enough.")
        .add(labels, calls.count(CallCounter.UNOBSERVED));
    all.counter("outrigger_request_bytes", "Body bytes of requests.")
        .add(labels, calls.count(CallCounter.REQUEST_BYTES));
    all.counter("outrigger_response_bytes", "Body bytes of responses.")
        .add(labels, calls.count(CallCounter.RESPONSE_BYTES));
    all.gauge("outrigger_requests_active", "Requests in progress.").add(labels, calls.active());
    all.gauge("outrigger_requests_queued", "Requests that wait for names, picks or streams.")
        .add(labels, calls.queued());
    var duration = new Histogram(BUCKET_NANOS);
    duration.add(calls.durations());
    all.histogram(
            "outrigger_request_duration_seconds",
            "From the arrival of the request's headers to its end.",
            NANOS_PER_SECOND)
        .add(labels, duration);
  }
}
