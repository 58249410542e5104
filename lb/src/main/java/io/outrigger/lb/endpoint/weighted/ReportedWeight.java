package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The weight of an endpoint by its reports (A58 "Subchannel Weights"). Reports come on any event
 * loop; the control loop reads the weight.
 *
 * <pre>
 * unknown   -> blackout  on a report that gives a weight
 * blackout  -> usable    on blackout period elapsed since the first such report
 * any       -> blackout  on the connection being made anew, from the next report on
 * any       -> stale     on no such report for the expiration period
 * stale     -> blackout  on a report that gives a weight
 * </pre>
 */
@AnyThread
final class ReportedWeight {
  /** The largest number that a report may have: no backend reaches it. */
  static final double INCREDIBLE = 1e9;

  /** Whether the weight can be used, and if not, why. */
  enum Standing {
    USABLE,
    NOT_YET_USABLE,
    STALE
  }

  /** A weight, and why it is zero if it is. */
  record Usable(double weight, Standing standing) {
    private static final Usable NOT_YET = new Usable(0, Standing.NOT_YET_USABLE);
    private static final Usable STALE = new Usable(0, Standing.STALE);
  }

  /**
   * @param counts whether reports have come since the connection was made or the last one expired
   * @param sinceNanos when the first of these came
   * @param lastNanos when any came last
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
   * Takes a report.
   *
   * @return false when its numbers are impossible; it is ignored then
   */
  boolean onReport(BackendMetrics report, WeightedRoundRobin settings, long nowNanos) {
    double utilization = Utilization.of(report, settings.utilizationMetrics());
    double qps = report.qps();
    double eps = report.eps();
    if (!isCredible(utilization) || !isCredible(qps) || !isCredible(eps)) {
      return false;
    }
    if (qps == 0) {
      return true; // without requests there is no weight
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

  /** Possible numbers may have an impossible ratio, which no weight can express. */
  private static boolean isUsable(double weight) {
    return weight > 0 && weight < Double.POSITIVE_INFINITY;
  }

  /** The endpoint is READY, and was not: reports have to come for the blackout period again. */
  void onReady() {
    reported.updateAndGet(before -> before == null ? null : before.startedOver());
  }

  /** The weight to use now. */
  Usable lookUp(WeightedRoundRobin settings, long nowNanos) {
    Reported current = reported.get();
    if (current == null) {
      return Usable.NOT_YET;
    }
    if (nowNanos - current.lastNanos() >= settings.expiration().toNanos()) {
      reported.compareAndSet(current, current.startedOver()); // or else a report has just come
      return Usable.STALE;
    }
    long blackout = settings.blackout().toNanos();
    if (blackout > 0 && (!current.counts() || nowNanos - current.sinceNanos() < blackout)) {
      return Usable.NOT_YET;
    }
    return new Usable(current.weight(), Standing.USABLE);
  }
}
