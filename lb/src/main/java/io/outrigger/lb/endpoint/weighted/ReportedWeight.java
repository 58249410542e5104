package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The weight of an endpoint, computed from its load reports (A58 "Subchannel Weights"). Reports
 * arrive on any event loop; the control loop reads the weight.
 *
 * <pre>
 * unknown   -> blackout  on a report that gives a weight
 * blackout  -> usable    when the blackout period has elapsed since the first such report
 * any       -> blackout  on a new connection, from the next report on
 * any       -> stale     when no such report has arrived for the expiration period
 * stale     -> blackout  on a report that gives a weight
 * </pre>
 */
@AnyThread
final class ReportedWeight {
  /** The upper limit of valid numbers; a load report that contains a greater number is ignored. */
  static final double MAX_NUMBER = 1e9;

  enum Status {
    USABLE,
    NOT_YET_USABLE,
    STALE
  }

  /** A weight, and the reason for a weight of zero. */
  record CurrentWeight(double weight, Status status) {
    private static final CurrentWeight NOT_YET = new CurrentWeight(0, Status.NOT_YET_USABLE);
    private static final CurrentWeight STALE = new CurrentWeight(0, Status.STALE);
  }

  /**
   * @param hasReport whether a report has arrived on the current connection; after the last report
   *     has expired, false until the next report
   * @param sinceNanos the time of the report with which {@code hasReport} last became true
   */
  private record Reported(double weight, boolean hasReport, long sinceNanos, long lastNanos) {
    Reported followedBy(double next, long nowNanos) {
      return new Reported(next, true, hasReport ? sinceNanos : nowNanos, nowNanos);
    }

    Reported restarted() {
      return new Reported(weight, false, 0, lastNanos);
    }
  }

  private final AtomicReference<@Nullable Reported> reported = new AtomicReference<>();

  /** Updates the weight from a load report; a report with impossible numbers is ignored. */
  void onReport(BackendMetrics report, WeightedRoundRobin settings, long nowNanos) {
    double utilization = utilization(report, settings.utilizationMetrics());
    double qps = report.qps();
    double eps = report.eps();
    if (!isPlausible(utilization) || !isPlausible(qps) || !isPlausible(eps)) {
      return;
    }
    double penalized =
        utilization > 0 ? utilization + eps / qps * settings.errorPenalty() : utilization;
    double weight = qps / penalized;
    // Without requests or without utilization, the weight is zero, infinite or NaN.
    if (weight > 0 && weight < Double.POSITIVE_INFINITY) {
      reported.updateAndGet(
          before ->
              before == null
                  ? new Reported(weight, true, nowNanos, nowNanos)
                  : before.followedBy(weight, nowNanos));
    }
  }

  /**
   * Returns the utilization of a backend (A114 "Weight Calculation Logic"): the largest value of
   * {@code metrics} if it is positive; otherwise the application utilization if it is positive;
   * otherwise the CPU utilization, which may be invalid.
   */
  static double utilization(BackendMetrics report, List<String> metrics) {
    double largest = 0;
    for (int i = 0; i < metrics.size(); i++) {
      double value = report.metric(metrics.get(i));
      if (value > largest) { // false for NaN and negative values
        largest = value;
      }
    }
    if (largest > 0) {
      return largest;
    }
    return report.applicationUtilization() > 0
        ? report.applicationUtilization()
        : report.cpuUtilization();
  }

  private static boolean isPlausible(double number) {
    return number >= 0 && number <= MAX_NUMBER;
  }

  /** Called when the endpoint becomes READY. The blackout period restarts with the next report. */
  void onReady() {
    reported.updateAndGet(before -> before == null ? null : before.restarted());
  }

  CurrentWeight current(WeightedRoundRobin settings, long nowNanos) {
    Reported latest = reported.get();
    if (latest == null) {
      return CurrentWeight.NOT_YET;
    }
    if (nowNanos - latest.lastNanos() >= settings.expiration().toNanos()) {
      reported.compareAndSet(latest, latest.restarted()); // fails if a report has just arrived
      return CurrentWeight.STALE;
    }
    long blackout = settings.blackout().toNanos();
    if (blackout > 0 && (!latest.hasReport() || nowNanos - latest.sinceNanos() < blackout)) {
      return CurrentWeight.NOT_YET;
    }
    return new CurrentWeight(latest.weight(), Status.USABLE);
  }
}
