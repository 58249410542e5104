package io.outrigger.observe.metrics;

import io.outrigger.dataplane.calls.Histogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The instruments of a scrape. Repeated requests for one name return the same instrument. */
final class Instruments {
  private final Map<String, Supplier<MetricSnapshot>> all = new LinkedHashMap<>();
  private final Set<String> omittedLabels;

  Instruments(Set<String> omittedLabels) {
    this.omittedLabels = omittedLabels;
  }

  private Labels shown(Labels labels) {
    if (omittedLabels.isEmpty()
        || labels.stream().noneMatch(each -> omittedLabels.contains(each.getName()))) {
      return labels;
    }
    var shown = Labels.builder();
    labels.stream()
        .filter(each -> !omittedLabels.contains(each.getName()))
        .forEach(each -> shown.label(each.getName(), each.getValue()));
    return shown.build();
  }

  final class Points implements Supplier<MetricSnapshot> {
    private final Function<Map<Labels, Double>, MetricSnapshot> toSnapshot;
    private final Map<Labels, Double> values = new TreeMap<>();

    private Points(Function<Map<Labels, Double>, MetricSnapshot> toSnapshot) {
      this.toSnapshot = toSnapshot;
    }

    /** Adds a value. Points are summed if they differ only in labels that are not exported. */
    void add(Labels labels, double value) {
      values.merge(shown(labels), value, Double::sum);
    }

    void addMin(Labels labels, double value) {
      values.merge(labels, value, Math::min);
    }

    @Override
    public MetricSnapshot get() {
      return toSnapshot.apply(values);
    }
  }

  final class HistogramPoints implements Supplier<MetricSnapshot> {
    private final MetricMetadata metadata;
    private final double divisor;
    private final Map<Labels, Histogram> values = new TreeMap<>();

    private HistogramPoints(MetricMetadata metadata, double divisor) {
      this.metadata = metadata;
      this.divisor = divisor;
    }

    void add(Labels labels, Histogram measured) {
      values.computeIfAbsent(shown(labels), first -> measured.empty()).add(measured);
    }

    @Override
    public MetricSnapshot get() {
      return new HistogramSnapshot(
          metadata,
          values.entrySet().stream().map(each -> point(each.getKey(), each.getValue())).toList());
    }

    private HistogramSnapshot.HistogramDataPointSnapshot point(Labels labels, Histogram measured) {
      var buckets = ClassicHistogramBuckets.builder();
      int last = measured.buckets() - 1;
      for (int i = 0; i < last; i++) {
        buckets.bucket(measured.bound(i) / divisor, measured.count(i));
      }
      buckets.bucket(Double.POSITIVE_INFINITY, measured.count(last));
      return HistogramSnapshot.HistogramDataPointSnapshot.builder()
          .labels(labels)
          .classicHistogramBuckets(buckets.build())
          .sum(measured.sum() / divisor)
          .build();
    }
  }

  Points counter(String name, String help) {
    return points(
        name,
        values ->
            new CounterSnapshot(
                metadata(name, help),
                values.entrySet().stream()
                    .map(
                        each ->
                            new CounterDataPointSnapshot(each.getValue(), each.getKey(), null, 0))
                    .toList()));
  }

  Points gauge(String name, String help) {
    return points(
        name,
        values ->
            new GaugeSnapshot(
                metadata(name, help),
                values.entrySet().stream()
                    .map(each -> new GaugeDataPointSnapshot(each.getValue(), each.getKey(), null))
                    .toList()));
  }

  private Points points(String name, Function<Map<Labels, Double>, MetricSnapshot> toSnapshot) {
    return (Points) all.computeIfAbsent(name, n -> new Points(toSnapshot));
  }

  /**
   * @param divisor the number by which measured values are divided before the export
   */
  HistogramPoints histogram(String name, String help, double divisor) {
    return (HistogramPoints)
        all.computeIfAbsent(name, n -> new HistogramPoints(metadata(name, help), divisor));
  }

  /** Returns the metadata of an instrument; the end of the name tells the unit. */
  private static MetricMetadata metadata(String name, String help) {
    Unit unit =
        Stream.of(Unit.SECONDS, Unit.BYTES)
            .filter(each -> name.endsWith("_" + each))
            .findAny()
            .orElse(null);
    return new MetricMetadata(name, help, unit);
  }

  void add(MetricSnapshot snapshot) {
    all.put(snapshot.getMetadata().getName(), () -> snapshot);
  }

  MetricSnapshots snapshots() {
    return new MetricSnapshots(all.values().stream().map(Supplier::get).toList());
  }
}
