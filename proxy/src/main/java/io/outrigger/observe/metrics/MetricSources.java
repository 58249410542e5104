package io.outrigger.observe.metrics;

import io.outrigger.base.AnyThread;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Combines the sources of a scrape. A source that fails because of a bug is left out and named in
 * {@code outrigger_metrics_source_failed}; the other sources are exported as usual.
 */
@AnyThread
public final class MetricSources {
  private static final Logger log = LoggerFactory.getLogger(MetricSources.class);

  /** The sources whose failure has been logged already, since scrapes repeat every few seconds. */
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  private final MetricSnapshots.Builder all = MetricSnapshots.builder();
  private final Set<String> failed;
  private final Set<String> leftOut;

  /**
   * @param leftOut the names of labels that are not exported
   */
  MetricSources(List<String> failed, Set<String> leftOut) {
    this.failed = new TreeSet<>(failed);
    this.leftOut = leftOut;
  }

  /** Logs, once per source, why the source failed. */
  public static void log(String source, Throwable failure) {
    if (LOGGED.add(source)) {
      log.error("metrics: {} cannot be exported, the others can", source, failure);
    }
  }

  void add(String source, Consumer<Instruments> filling) {
    try {
      var own = new Instruments(leftOut);
      filling.accept(own);
      own.snapshots().forEach(all::metricSnapshot);
    } catch (RuntimeException | AssertionError failure) {
      log(source, failure);
      failed.add(source);
    }
  }

  MetricSnapshots all() {
    add(
        "failures",
        own ->
            failed.forEach(
                source ->
                    own.gauge(
                            "outrigger_metrics_source_failed",
                            "1 for a source of metrics that fails because of a bug.")
                        .add(Labels.of("source", source), 1)));
    return all.build();
  }
}
