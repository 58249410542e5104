package io.outrigger.observe.metrics;

import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.dataplane.calls.MethodStats.Place;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/**
 * The instruments of A66 (for clients and servers) and of A96, with the labels of A89 and A78. All
 * forwards to the same target count as one client.
 */
final class CallMetrics {
  private enum Kind {
    ATTEMPTS("grpc.client.attempt.duration_seconds", "Time of attempts, picks included."),
    SENT(
        "grpc.client.attempt.sent_total_compressed_message_size_bytes",
        "Bytes of messages sent by an attempt, as they were on the wire."),
    RECEIVED(
        "grpc.client.attempt.rcvd_total_compressed_message_size_bytes",
        "Bytes of messages received by an attempt, as they were on the wire."),
    CALLS("grpc.client.call.duration_seconds", "Time of calls."),
    RETRIES("grpc.client.call.retries", "Retries per call, of calls with retries."),
    TRANSPARENT_RETRIES(
        "grpc.client.call.transparent_retries",
        "Transparent retries per call, of calls with such retries."),
    RETRY_DELAYS(
        "grpc.client.call.retry_delay_seconds",
        "Time without an attempt in progress, for calls with retries."),
    SERVED("grpc.server.call.duration_seconds", "Time of served calls."),
    SERVED_SENT(
        "grpc.server.call.sent_total_compressed_message_size_bytes",
        "Bytes of messages sent to callers by a served call, as they were on the wire."),
    SERVED_RECEIVED(
        "grpc.server.call.rcvd_total_compressed_message_size_bytes",
        "Bytes of messages received from callers by a served call, as they were on the wire."),
    /** A histogram that only {@code --metrics-experimental} turns on (A121). */
    CALL_DELAYS(
        "grpc.client.call.delay.duration_seconds",
        "Time that calls waited for their configuration. EXPERIMENTAL."),
    ATTEMPT_DELAYS(
        "grpc.client.attempt.delay.duration_seconds",
        "Time that attempts waited for a pick. EXPERIMENTAL.");

    private final String instrument;
    private final String help;

    Kind(String instrument, String help) {
      this.instrument = instrument;
      this.help = help;
    }

    /** Returns the instrument of this histogram. Times are measured in nanoseconds. */
    private Instruments.HistogramPoints in(Instruments all) {
      return all.histogram(instrument, help, instrument.endsWith("_seconds") ? 1e9 : 1);
    }
  }

  private final Instruments all;
  private final Instruments.Points started;
  private final Instruments.Points served;

  private CallMetrics(Instruments all) {
    this.all = all;
    started =
        all.counter(
            "grpc.client.attempt.started", "Attempts that began, those in progress included.");
    served =
        all.counter(
            "grpc.server.call.started", "Served calls that began, those in progress included.");
  }

  static void addTo(
      List<MetricsView.Forward> forwards, List<MetricsView.Serve> serves, Instruments all) {
    var metrics = new CallMetrics(all);
    EnumSet.range(Kind.ATTEMPTS, Kind.SERVED_RECEIVED).forEach(kind -> kind.in(all));
    for (MetricsView.Serve serve : serves) {
      serve.calls().methods().forEach(metrics::served);
    }
    for (MetricsView.Forward forward : forwards) {
      forward
          .calls()
          .methods()
          .forEach(
              (method, totals) ->
                  metrics.method(
                      Labels.of("grpc.method", method, "grpc.target", forward.target()), totals));
    }
  }

  private void method(Labels labels, MethodStats totals) {
    started.add(labels, totals.attempts());
    totals.calls().forEach((code, durations) -> put(Kind.CALLS, with(labels, code), durations));
    totals
        .ended()
        .forEach(
            (place, byCode) ->
                byCode.forEach(
                    (code, ended) -> {
                      Labels full = with(with(labels, code), place, totals.hasLocalities());
                      put(Kind.ATTEMPTS, full, ended.durations());
                      put(Kind.SENT, full, ended.sent());
                      put(Kind.RECEIVED, full, ended.received());
                    }));
    put(Kind.RETRIES, labels, totals.retries());
    put(Kind.TRANSPARENT_RETRIES, labels, totals.transparentRetries());
    put(Kind.RETRY_DELAYS, labels, totals.retryDelays());
    totals.callDelays().forEach((type, each) -> put(Kind.CALL_DELAYS, delayed(labels, type), each));
    totals
        .attemptDelays()
        .forEach((type, each) -> put(Kind.ATTEMPT_DELAYS, delayed(labels, type), each));
  }

  /** Adds served calls. Bytes from the app count as sent, because they are sent to the caller. */
  private void served(String method, MethodStats totals) {
    Labels labels = Labels.of("grpc.method", method);
    served.add(labels, totals.attempts());
    for (Map<RpcStatus.Code, MethodStats.Attempts> calls : totals.ended().values()) {
      calls.forEach(
          (code, ended) -> {
            Labels full = with(labels, code);
            put(Kind.SERVED, full, ended.durations());
            put(Kind.SERVED_SENT, full, ended.received());
            put(Kind.SERVED_RECEIVED, full, ended.sent());
          });
    }
  }

  private static Labels delayed(Labels labels, String type) {
    return labels.add("grpc.delay_type", type);
  }

  private static Labels with(Labels labels, RpcStatus.Code code) {
    return labels.add("grpc.status", code.toString());
  }

  private static Labels with(Labels labels, Place place, boolean hasLocality) {
    Labels placed = labels.add("grpc.lb.backend_service", place.cluster());
    return hasLocality ? placed.add("grpc.lb.locality", place.localityLabel()) : placed;
  }

  private void put(Kind kind, Labels labels, Histogram more) {
    kind.in(all).add(labels, more);
  }
}
