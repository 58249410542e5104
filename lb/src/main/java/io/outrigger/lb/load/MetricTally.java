package io.outrigger.lb.load;

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
 * <p>Each event loop has a slot with its own sums. Before a thread changes or reads the sums, it
 * removes them from the slot. Meanwhile no other thread has access to the sums. No thread locks or
 * waits, and no count is lost. If the control loop finds a slot empty because the event loop is
 * changing the sums, the control loop reads these sums the next time.
 */
@AnyThread
public final class MetricTally {
  /**
   * The maximum number of metric names per event loop between two load reports; names beyond the
   * maximum are ignored.
   */
  static final int MAX_NAMES = 1000;

  private final PropagatedMetrics wanted;
  private final AtomicReferenceArray<@Nullable Sums> sums;

  public MetricTally(PropagatedMetrics wanted, int loops) {
    this.wanted = wanted;
    this.sums = new AtomicReferenceArray<>(loops);
  }

  /** Adds a load report at the end of a call, on the event loop of the call. */
  public void onReport(int loop, BackendMetrics report) {
    Sums known = sums.getAndSet(loop, null);
    Sums mine = known == null ? new Sums() : known;
    if (wanted.cpuUtilization()) {
      mine.addPositive(PropagatedMetrics.CPU_UTILIZATION, report.cpuUtilization());
    }
    if (wanted.memUtilization()) {
      mine.addPositive(PropagatedMetrics.MEM_UTILIZATION, report.memUtilization());
    }
    if (wanted.applicationUtilization()) {
      mine.addPositive(PropagatedMetrics.APPLICATION_UTILIZATION, report.applicationUtilization());
    }
    mine.add(wanted.utilization(), PropagatedMetrics.UTILIZATION, report.utilization());
    mine.add(wanted.namedMetrics(), PropagatedMetrics.NAMED_METRICS, report.namedMetrics());
    sums.set(loop, mine);
  }

  public Map<String, MetricTotal> take() {
    Map<String, MetricTotal> all = new HashMap<>();
    for (int loop = 0; loop < sums.length(); loop++) {
      Sums taken = sums.getAndSet(loop, null);
      if (taken != null) {
        taken.totals.forEach((name, total) -> all.merge(name, total, MetricTotal::plus));
      }
    }
    return all;
  }

  private static final class Sums {
    private final Map<String, MetricTotal> totals = new HashMap<>();

    /**
     * Adds a value that is positive. Zero means that the backend did not send the number, and a
     * negative utilization is invalid.
     */
    void addPositive(String name, double value) {
      if (value > 0) {
        add(name, value);
      }
    }

    void add(PropagatedMetrics.Keys keys, String prefix, Map<String, Double> values) {
      if (keys.all()) {
        values.forEach((key, value) -> add(prefix + key, value));
        return;
      }
      for (String key : keys.some()) {
        Double value = values.get(key);
        if (value != null) {
          add(prefix + key, value);
        }
      }
    }

    private void add(String name, double value) {
      boolean isKnown = totals.containsKey(name);
      if (Double.isFinite(value) && (isKnown || totals.size() < MAX_NAMES)) { // decision lb-0015
        totals.merge(name, new MetricTotal(1, value), MetricTotal::plus);
      }
    }
  }
}
