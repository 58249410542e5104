package io.outrigger.lb.load;

import static io.outrigger.config.cluster.PropagatedMetrics.NAMED_METRICS;
import static io.outrigger.config.cluster.PropagatedMetrics.UTILIZATION;

import io.outrigger.base.AnyThread;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.load.MetricTotal;
import io.outrigger.lb.BackendMetrics;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the metrics that backends report at the end of each call (A64 "Aggregation", A85).
 *
 * <p>Each event loop has a slot that holds its sums. A thread takes the sums out of the slot before
 * it reads or changes them, so that no other thread has access. No thread locks or waits, and no
 * count is lost. If the control loop finds a slot empty because the event loop is changing the
 * sums, the control loop reads these sums next time.
 */
@AnyThread
public final class MetricTally {
  /**
   * The maximum number of metric names per event loop between two load reports; names beyond the
   * maximum are ignored.
   */
  static final int MAX_NAMES = 1000;

  private final PropagatedMetrics wanted;
  private final AtomicReferenceArray<@Nullable Map<String, MetricTotal>> sums;

  public MetricTally(PropagatedMetrics wanted, int loops) {
    this.wanted = wanted;
    this.sums = new AtomicReferenceArray<>(loops);
  }

  /** Adds a load report at the end of a call, on the event loop of the call. */
  public void onReport(int loop, BackendMetrics report) {
    Map<String, MetricTotal> known = sums.getAndSet(loop, null);
    Map<String, MetricTotal> mine = known == null ? new HashMap<>() : known;
    for (String name : wanted.names()) {
      add(mine, name, report.metric(name));
    }
    if (wanted.allUtilization()) {
      report.utilization().forEach((key, value) -> add(mine, UTILIZATION + key, value));
    }
    if (wanted.allNamedMetrics()) {
      report.namedMetrics().forEach((key, value) -> add(mine, NAMED_METRICS + key, value));
    }
    sums.set(loop, mine);
  }

  public Map<String, MetricTotal> take() {
    Map<String, MetricTotal> all = new HashMap<>();
    for (int loop = 0; loop < sums.length(); loop++) {
      Map<String, MetricTotal> taken = sums.getAndSet(loop, null);
      if (taken != null) {
        taken.forEach((name, total) -> all.merge(name, total, MetricTotal::plus));
      }
    }
    return all;
  }

  private static void add(Map<String, MetricTotal> sums, String name, double value) {
    boolean isKnown = sums.containsKey(name);
    if (Double.isFinite(value) && (isKnown || sums.size() < MAX_NAMES)) { // decision lb-0015
      sums.merge(name, new MetricTotal(1, value), MetricTotal::plus);
    }
  }
}
