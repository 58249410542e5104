package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
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
  /** The largest number that a report may contain: no backend reaches this number. */
  static final double INCREDIBLE = 1e9;

  /** Whether the weight can be used, and if not, the reason. */
  enum Standing {
    USABLE,
    NOT_YET_USABLE,
    STALE
  }

  /** A weight, and the reason when the weight is zero. */
  record Usable(double weight, Standing standing) {
    private static final Usable NOT_YET = new Usable(0, Standing.NOT_YET_USABLE);
    private static final Usable STALE = new Usable(0, Standing.STALE);
  }

  /**
   * @param counts whether reports have arrived since the connection was made or the previous report
   *     expired
   * @param sinceNanos the time of the first of these reports
   */
  private record Reported(double weight, boolean counts, long sinceNanos, long lastNanos) {
    Reported followedBy(double next, long nowNanos) {
      return new Reported(next, true, counts ? sinceNanos : nowNanos, nowNanos);
    }

    Reported startedOver() {
      return new Reported(weight, false, 0, lastNanos);
    }
  }

  private final AtomicReference<@Nullable Reported> reported = new AtomicReference<>();

  /**
   * Updates the weight from {@code report}.
   *
   * @return false when the report has impossible numbers and was ignored
   */
  boolean onReport(BackendMetrics report, WeightedRoundRobin settings, long nowNanos) {
    double utilization = Utilization.of(report, settings.utilizationMetrics());
    double qps = report.qps();
    double eps = report.eps();
    if (!isCredible(utilization) || !isCredible(qps) || !isCredible(eps)) {
      return false;
    }
    if (qps == 0) {
      return true; // a weight needs requests
    }
    double penalized =
        utilization > 0 ? utilization + eps / qps * settings.errorPenalty() : utilization;
    if (penalized == 0) {
      return true;
    }
    double weight = qps / penalized;
    if (!isUsable(weight)) {
      return false;
    }
    reported.updateAndGet(
        before ->
            before == null
                ? new Reported(weight, true, nowNanos, nowNanos)
                : before.followedBy(weight, nowNanos));
    return true;
  }

  private static boolean isCredible(double number) {
    return number >= 0 && number <= INCREDIBLE;
  }

  /**
   * Returns false for a weight that cannot be represented: two possible numbers may have a ratio
   * that overflows.
   */
  private static boolean isUsable(double weight) {
    return weight > 0 && weight < Double.POSITIVE_INFINITY;
  }

  /**
   * Called when the endpoint becomes READY: its reports must arrive for a whole blackout period
   * again.
   */
  void onReady() {
    reported.updateAndGet(before -> before == null ? null : before.startedOver());
  }

  Usable lookUp(WeightedRoundRobin settings, long nowNanos) {
    Reported current = reported.get();
    if (current == null) {
      return Usable.NOT_YET;
    }
    if (nowNanos - current.lastNanos() >= settings.expiration().toNanos()) {
      reported.compareAndSet(current, current.startedOver()); // fails if a report has just arrived
      return Usable.STALE;
    }
    long blackout = settings.blackout().toNanos();
    if (blackout > 0 && (!current.counts() || nowNanos - current.sinceNanos() < blackout)) {
      return Usable.NOT_YET;
    }
    return new Usable(current.weight(), Standing.USABLE);
  }
}
