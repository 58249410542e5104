package io.outrigger.observe.telemetry;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.metrics.export.MetricProducer;
import io.opentelemetry.sdk.resources.Resource;
import io.outrigger.base.AnyThread;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBucket;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.Unit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The metrics of {@code /metrics} in OTLP's form, in which names have dots and units are separate.
 * The methods run on a thread of the SDK.
 */
@AnyThread
final class OtlpMetrics implements MetricProducer {
  private static final AggregationTemporality SINCE_START = AggregationTemporality.CUMULATIVE;

  /**
   * The units in braces (UCUM annotations) of gRPC's instruments, by instrument name. Prometheus
   * snapshots lack these units, because the Prometheus library would append them to the names of
   * metrics.
   */
  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("grpc.client.attempt.started", "{attempt}"),
          Map.entry("grpc.client.call.retries", "{retry}"),
          Map.entry("grpc.client.call.transparent_retries", "{transparent_retry}"),
          Map.entry("grpc.lb.outlier_detection.ejections_enforced", "{ejection}"),
          Map.entry("grpc.lb.outlier_detection.ejections_unenforced", "{ejection}"),
          Map.entry("grpc.lb.wrr.rr_fallback", "{update}"),
          Map.entry("grpc.lb.wrr.endpoint_weight_not_yet_usable", "{endpoint}"),
          Map.entry("grpc.lb.wrr.endpoint_weight_stale", "{endpoint}"),
          Map.entry("grpc.lb.wrr.endpoint_weights", "{weight}"),
          Map.entry("grpc.subchannel.disconnections", "{disconnection}"),
          Map.entry("grpc.subchannel.connection_attempts_succeeded", "{attempt}"),
          Map.entry("grpc.subchannel.connection_attempts_failed", "{attempt}"),
          Map.entry("grpc.client.tls.handshakes", "{handshake}"),
          Map.entry("grpc.server.call.started", "{call}"),
          Map.entry("grpc.server.tls.handshakes", "{handshake}"),
          Map.entry("grpc.subchannel.open_connections", "{connection}"),
          Map.entry("grpc.xds_client.connected", "{bool}"),
          Map.entry("grpc.xds_client.server_failure", "{failure}"),
          Map.entry("grpc.xds_client.resource_updates_valid", "{resource}"),
          Map.entry("grpc.xds_client.resource_updates_invalid", "{resource}"),
          Map.entry("grpc.xds_client.resources", "{resource}"));

  /** The only OTLP counter that can decrease; in Prometheus, it is a gauge. */
  private static final String UP_DOWN_COUNTER = "grpc.subchannel.open_connections";

  private final Supplier<MetricSnapshots> source;
  private final InstrumentationScopeInfo scope;
  private final long startNanos;

  /** One instrument with its points; the components are named like the getters of the SDK. */
  private record OtlpMetric(
      Resource getResource,
      InstrumentationScopeInfo getInstrumentationScopeInfo,
      String getName,
      String getDescription,
      String getUnit,
      MetricDataType getType,
      Data<?> getData)
      implements MetricData {}

  private record Scrape(long startNanos, long nanos) {
    DoublePointData point(DataPointSnapshot point) {
      Attributes labels = attributes(point.getLabels());
      double value = 1; // an info metric always has the value 1
      if (point instanceof CounterDataPointSnapshot counter) {
        value = counter.getValue();
      } else if (point instanceof GaugeDataPointSnapshot gauge) {
        value = gauge.getValue();
      }
      return DoublePointData.create(startNanos, nanos, labels, value, List.of());
    }

    /** Converts buckets, without cumulating their counts. OTLP omits the last bound (infinity). */
    HistogramPointData histogram(HistogramSnapshot.HistogramDataPointSnapshot point) {
      ClassicHistogramBuckets buckets = point.getClassicBuckets();
      var bounds = buckets.stream().map(ClassicHistogramBucket::getUpperBound);
      return HistogramPointData.create(
          startNanos,
          nanos,
          attributes(point.getLabels()),
          point.getSum(),
          false,
          0,
          false,
          0,
          bounds.limit(buckets.size() - 1).toList(),
          buckets.stream().map(ClassicHistogramBucket::getCount).toList());
    }
  }

  OtlpMetrics(Supplier<MetricSnapshots> source, String version, Instant start) {
    this.source = source;
    scope = InstrumentationScopeInfo.builder("outrigger").setVersion(version).build();
    startNanos = nanos(start);
  }

  @Override
  public Collection<MetricData> produce(Resource resource) {
    var scrape = new Scrape(startNanos, nanos(Instant.now()));
    List<MetricData> all = new ArrayList<>();
    for (MetricSnapshot snapshot : source.get()) {
      if (!snapshot.getDataPoints().isEmpty()) {
        all.add(metric(resource, scrape, snapshot));
      }
    }
    return all;
  }

  private MetricData metric(Resource resource, Scrape scrape, MetricSnapshot snapshot) {
    if (snapshot instanceof HistogramSnapshot histogram) {
      var points = histogram.getDataPoints().stream().map(scrape::histogram).toList();
      Data<?> data = HistogramData.create(SINCE_START, points);
      return metric(resource, snapshot, MetricDataType.HISTOGRAM, data);
    }
    List<DoublePointData> points = snapshot.getDataPoints().stream().map(scrape::point).toList();
    boolean onlyGrows = snapshot instanceof CounterSnapshot;
    if (onlyGrows || snapshot.getMetadata().getName().equals(UP_DOWN_COUNTER)) {
      Data<?> sum = SumData.createDoubleSumData(onlyGrows, SINCE_START, points);
      return metric(resource, snapshot, MetricDataType.DOUBLE_SUM, sum);
    }
    Data<?> gauge = GaugeData.createDoubleGaugeData(points);
    return metric(resource, snapshot, MetricDataType.DOUBLE_GAUGE, gauge);
  }

  private MetricData metric(
      Resource resource, MetricSnapshot snapshot, MetricDataType type, Data<?> data) {
    var metadata = snapshot.getMetadata();
    Unit unit = metadata.getUnit();
    String suffix = unit == null ? "" : "_" + unit;
    String name = metadata.getName();
    return new OtlpMetric(
        resource,
        scope,
        name.substring(0, name.length() - suffix.length()),
        metadata.getHelp(),
        unit == null ? UNITS.getOrDefault(name, "") : unitOf(unit),
        type,
        data);
  }

  /** Returns the unit in UCUM, which OpenTelemetry requires. */
  private static String unitOf(Unit unit) {
    return unit.equals(Unit.SECONDS) ? "s" : unit.equals(Unit.BYTES) ? "By" : unit.toString();
  }

  private static Attributes attributes(Labels labels) {
    var attributes = Attributes.builder();
    for (Label label : labels) {
      attributes.put(label.getName(), label.getValue());
    }
    return attributes.build();
  }

  private static long nanos(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }
}
