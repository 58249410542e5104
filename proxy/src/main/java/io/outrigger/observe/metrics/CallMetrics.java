package io.outrigger.observe.metrics;

import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.AttemptPlace;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.calls.MethodStats;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The instruments of A66 for clients and servers, and those of A96, with the labels of A89 and A78.
 * All forwards to the same target count as one client.
 */
final class CallMetrics {
  /** The histograms of this source, which get their points when all forwards have been added. */
  private enum Kind {
    ATTEMPTS(
        "grpc.client.attempt.duration_seconds", "Time of attempts, picks included.", Unit.SECONDS),
    SENT(
        "grpc.client.attempt.sent_total_compressed_message_size_bytes",
        "Bytes of messages sent by an attempt, as they were on the wire.",
        Unit.BYTES),
    RECEIVED(
        "grpc.client.attempt.rcvd_total_compressed_message_size_bytes",
        "Bytes of messages received by an attempt, as they were on the wire.",
        Unit.BYTES),
    CALLS("grpc.client.call.duration_seconds", "Time of calls.", Unit.SECONDS),
    RETRIES("grpc.client.call.retries", "Retries per call, of calls with retries.", null),
    TRANSPARENT_RETRIES(
        "grpc.client.call.transparent_retries",
        "Transparent retries per call, of calls with such retries.",
        null),
    RETRY_DELAYS(
        "grpc.client.call.retry_delay_seconds",
        "Time without an attempt in progress, for calls with retries.",
        Unit.SECONDS),
    SERVED("grpc.server.call.duration_seconds", "Time of served calls.", Unit.SECONDS),
    SERVED_SENT(
        "grpc.server.call.sent_total_compressed_message_size_bytes",
        "Bytes of messages sent to callers by a served call, as they were on the wire.",
        Unit.BYTES),
    SERVED_RECEIVED(
        "grpc.server.call.rcvd_total_compressed_message_size_bytes",
        "Bytes of messages received from callers by a served call, as they were on the wire.",
        Unit.BYTES),
    /** A histogram that only {@code --metrics-experimental} turns on (A121). */
    CALL_DELAYS(
        "grpc.client.call.delay.duration_seconds",
        "Time that calls waited for their configuration. EXPERIMENTAL.",
        Unit.SECONDS),
    ATTEMPT_DELAYS(
        "grpc.client.attempt.delay.duration_seconds",
        "Time that attempts waited for a pick. EXPERIMENTAL.",
        Unit.SECONDS);

    private final String instrument;
    private final String help;

    @SuppressWarnings("Immutable") // Unit never changes
    private final @Nullable Unit unit;

    Kind(String instrument, String help, @Nullable Unit unit) {
      this.instrument = instrument;
      this.help = help;
      this.unit = unit;
    }

    /** The number of measured units in one exported unit: times are measured in nanoseconds. */
    private double parts() {
      return Unit.SECONDS.equals(unit) ? 1e9 : 1;
    }
  }

  private final Instruments all;
  private final Instruments.Points started;
  private final Instruments.Points served;

  /** Values by their labels, so that equal labels of several forwards become one point. */
  private final Map<Kind, Map<Labels, Histogram>> measured = new TreeMap<>();

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
    for (Kind kind : Kind.values()) {
      Map<Labels, Histogram> points = metrics.measured.getOrDefault(kind, Map.of());
      if (!points.isEmpty() || kind.compareTo(Kind.CALL_DELAYS) < 0) {
        addTo(all, kind, points);
      }
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

  /** Adds the calls of a served address; received bytes are those of the caller. */
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

  private static Labels with(Labels labels, AttemptPlace place, boolean hasLocality) {
    Labels placed = labels.add("grpc.lb.backend_service", place.cluster());
    return hasLocality ? placed.add("grpc.lb.locality", place.localityLabel()) : placed;
  }

  private void put(Kind kind, Labels labels, Histogram more) {
    measured
        .computeIfAbsent(kind, k -> new TreeMap<>())
        .computeIfAbsent(all.shown(labels), l -> more.empty())
        .add(more);
  }

  private static void addTo(Instruments all, Kind kind, Map<Labels, Histogram> points) {
    Instruments.HistogramPoints histogram = all.histogram(kind.instrument, kind.help, kind.unit);
    points.forEach((labels, values) -> histogram.add(labels, values, kind.parts()));
  }
}
