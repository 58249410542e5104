package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.Map;

/** Builds metrics with one point per set of labels. */
@AnyThread
final class Instruments {
  private Instruments() {}

  static CounterSnapshot.Builder counter(String name, String help) {
    return CounterSnapshot.builder().name(name).help(help);
  }

  /** Builds a counter with one point per entry. */
  static CounterSnapshot counter(String name, String help, Map<Labels, Double> points) {
    CounterSnapshot.Builder metric = counter(name, help);
    points.forEach((labels, value) -> add(metric, labels, value));
    return metric.build();
  }

  /** Builds a gauge with one point per entry. */
  static GaugeSnapshot gauge(String name, String help, Map<Labels, Double> points) {
    GaugeSnapshot.Builder metric = gauge(name, help);
    points.forEach((labels, value) -> add(metric, labels, value));
    return metric.build();
  }

  static GaugeSnapshot.Builder gauge(String name, String help) {
    return GaugeSnapshot.builder().name(name).help(help);
  }

  static HistogramSnapshot.Builder histogram(String name, String help) {
    return HistogramSnapshot.builder().name(name).help(help);
  }

  static void add(CounterSnapshot.Builder metric, Labels labels, double value) {
    metric.dataPoint(
        CounterSnapshot.CounterDataPointSnapshot.builder().labels(labels).value(value).build());
  }

  static void add(GaugeSnapshot.Builder metric, Labels labels, double value) {
    metric.dataPoint(
        GaugeSnapshot.GaugeDataPointSnapshot.builder().labels(labels).value(value).build());
  }
}
