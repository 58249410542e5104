package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.dataplane.calls.Histogram;
import io.outrigger.dataplane.calls.MethodStats;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.LbObserver.WeightUpdate;
import io.outrigger.lb.view.OutlierEvent;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * The load-balancing metrics of A78 "Weighted Round Robin LB Policy", A91, A94 and A118, with the
 * labels of A89. The counters are 0 when the process starts. The counts of a removed cluster are
 * kept, so that counters never decrease.
 */
@ControlConfined
public final class LbCounters {
  /**
   * The maximum number of places, which are combinations of target, cluster and locality. Without
   * this limit, a control plane that invents names could exhaust the memory.
   */
  static final int MAX_PLACES = 5_000;

  /** The label of clusters beyond {@link #MAX_PLACES}; A66 uses the same label for methods. */
  private static final String OTHER = "other";

  /** The histograms record weights in thousandths. */
  private static final int WEIGHT_SCALE = 1_000;

  /** OpenTelemetry's default histogram bounds, since A78 defines no bounds. */
  private static final long[] WEIGHT_BOUNDS =
      LongStream.of(0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000)
          .map(bound -> bound * WEIGHT_SCALE)
          .toArray();

  private enum Count {
    ENFORCED(
        "grpc.lb.outlier_detection.ejections_enforced",
        "Enforced outlier ejections by ejection reason."),
    UNENFORCED(
        "grpc.lb.outlier_detection.ejections_unenforced",
        "Outliers that the maximum ejection or the enforcement percentage spared."),
    DISCONNECTIONS("grpc.subchannel.disconnections", "Connections that ended, by reason."),
    SUCCEEDED(
        "grpc.subchannel.connection_attempts_succeeded", "Connection attempts that succeeded."),
    FAILED("grpc.subchannel.connection_attempts_failed", "Connection attempts that failed."),
    /** The only gauge; all other constants of this enumeration are counters. */
    OPEN("grpc.subchannel.open_connections", "Open connections."),
    HANDSHAKES("grpc.client.tls.handshakes", "TLS handshakes, by result."),
    FALLBACKS(
        "grpc.lb.wrr.rr_fallback",
        "Updates with too few weights, after which all endpoints had equal weights."),
    NOT_YET_USABLE(
        "grpc.lb.wrr.endpoint_weight_not_yet_usable",
        "Endpoints at each update whose reports are within the blackout period."),
    STALE(
        "grpc.lb.wrr.endpoint_weight_stale",
        "Endpoints at each update whose last report is too old.");

    private final String instrument;
    private final String help;

    Count(String instrument, String help) {
      this.instrument = instrument;
      this.help = help;
    }
  }

  /**
   * The labels of each known place by target, cluster and locality; they are kept because creating
   * labels checks every name.
   */
  private final Map<List<String>, Labels> places = new HashMap<>();

  /** Like {@link #places}, but for the metrics of ejections, whose places have no locality. */
  private final Map<List<String>, Labels> ejecting = new HashMap<>();

  private final Map<Count, Map<Labels, Long>> counts = new EnumMap<>(Count.class);
  private final Map<Labels, Histogram> weights = new HashMap<>();

  public record Counts(Map<Count, Map<Labels, Long>> counts, Map<Labels, Histogram> weights) {
    void addTo(Instruments all) {
      for (Count count : Count.values()) {
        Instruments.Points points =
            count == Count.OPEN
                ? all.gauge(count.instrument, count.help)
                : all.counter(count.instrument, count.help);
        counts.getOrDefault(count, Map.of()).forEach(points::add);
      }
      Instruments.HistogramPoints histogram =
          all.histogram(
              "grpc.lb.wrr.endpoint_weights",
              "Weights of endpoints at each update; 0 for endpoints without a weight.",
              WEIGHT_SCALE);
      weights.forEach(histogram::add);
    }
  }

  /**
   * Returns an observer that counts the events of a target.
   *
   * @param events also receives the events of policies
   */
  public LbObserver of(String target, Consumer<LbEvent> events) {
    return new LbObserver() {
      @Override
      public void onEvent(LbEvent event) {
        events.accept(event);
        if (event instanceof OutlierEvent.Ejected ejected) {
          add(Count.ENFORCED, outlier(target, ejected, ejected.evidence()), 1);
        } else if (event instanceof OutlierEvent.Unenforced unenforced) {
          String reason = "grpc.lb.outlier_detection.unenforced_reason";
          Labels labels = outlier(target, unenforced, unenforced.evidence());
          add(Count.UNENFORCED, labels.add(reason, unenforced.reason().word()), 1);
        }
      }

      @Override
      public void onConnection(ConnectionEvent.Group group, ConnectionEvent event) {
        connection(target, group, event);
      }

      @Override
      public void onWeights(WeightUpdate update) {
        weights(target, update);
      }
    };
  }

  public Counts counts() {
    Map<Count, Map<Labels, Long>> copy = new EnumMap<>(Count.class);
    counts.forEach((count, values) -> copy.put(count, Map.copyOf(values)));
    Map<Labels, Histogram> copied = new HashMap<>();
    weights.forEach((labels, each) -> copied.computeIfAbsent(labels, l -> each.empty()).add(each));
    return new Counts(copy, copied);
  }

  private Labels outlier(String target, OutlierEvent event, OutlierEvent.Evidence evidence) {
    String cluster = place(ejecting, target, event.cluster(), "").get("grpc.lb.backend_service");
    return Labels.of(
        "grpc.target", target,
        "grpc.lb.backend_service", cluster,
        "grpc.lb.outlier_detection.detection_method", evidence.method().word());
  }

  /** Counts an event of a connection. The event's missing counters are created with the value 0. */
  private void connection(String target, ConnectionEvent.Group group, ConnectionEvent event) {
    Labels place = place(places, target, group.cluster(), group.locality().label());
    Labels open = secured(place, group);
    add(Count.SUCCEEDED, place, event instanceof ConnectionEvent.Made ? 1 : 0);
    add(Count.FAILED, place, event instanceof ConnectionEvent.Failed ? 1 : 0);
    add(Count.OPEN, open, event instanceof ConnectionEvent.Made ? 1 : 0);
    if (event instanceof ConnectionEvent.Lost lost) {
      add(Count.OPEN, open, -1);
      add(Count.DISCONNECTIONS, place.add("grpc.disconnect_error", lost.error()), 1);
    } else if (event instanceof ConnectionEvent.Moved moved) {
      add(Count.OPEN, open, -moved.open());
      Labels next = place(places, target, group.cluster(), moved.to().label());
      add(Count.OPEN, secured(next, group), moved.open());
    } else if (event instanceof ConnectionEvent.Handshaken handshaken) {
      Labels labels =
          place
              .add("grpc.tls.handshake.resumed", "FULL_HANDSHAKE")
              .add("grpc.tls.handshake.result", handshaken.result().toString());
      add(Count.HANDSHAKES, labels, 1);
    }
  }

  private static Labels secured(Labels place, ConnectionEvent.Group group) {
    return place.add("grpc.security_level", group.secure() ? "privacy_and_integrity" : "none");
  }

  private void weights(String target, WeightUpdate update) {
    Labels place = place(places, target, update.cluster(), update.locality());
    add(Count.FALLBACKS, place, update.isFallback() ? 1 : 0);
    add(Count.NOT_YET_USABLE, place, update.notYetUsable());
    add(Count.STALE, place, update.stale());
    Histogram histogram = weights.computeIfAbsent(place, p -> new Histogram(WEIGHT_BOUNDS));
    for (double weight : update.weights()) {
      histogram.record((long) Math.ceil(weight * WEIGHT_SCALE));
    }
  }

  /**
   * Returns the labels of a place. The cluster is "other" if the place is new and there are {@link
   * #MAX_PLACES} already, or if the names are longer than {@link MethodStats#MAX_NAMES} in total.
   */
  private static Labels place(
      Map<List<String>, Labels> places, String target, String cluster, String locality) {
    List<String> place = List.of(target, cluster, locality);
    boolean isShort = cluster.length() + locality.length() <= MethodStats.MAX_NAMES;
    return isShort && places.size() < MAX_PLACES
        ? places.computeIfAbsent(place, absent -> labels(target, cluster, locality))
        : places.getOrDefault(place, labels(target, OTHER, ""));
  }

  private static Labels labels(String target, String cluster, String locality) {
    return Labels.of(
        "grpc.target", target, "grpc.lb.backend_service", cluster, "grpc.lb.locality", locality);
  }

  private void add(Count count, Labels labels, long more) {
    counts.computeIfAbsent(count, c -> new HashMap<>()).merge(labels, more, Long::sum);
  }
}
