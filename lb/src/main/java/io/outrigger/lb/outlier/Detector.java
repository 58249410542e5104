package io.outrigger.lb.outlier;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.outlier.EndpointTracker.IntervalCalls;
import io.outrigger.lb.outlier.OutlierAlgorithms.Candidate;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.lb.view.OutlierEvent.Share;
import io.outrigger.lb.view.OutlierEvent.UnejectReason;
import io.outrigger.lb.view.OutlierEvent.UnenforcedReason;
import java.util.List;

/**
 * Decides which endpoints of one cluster are ejected, which outliers stay in service, and which
 * ejections end. Each decision is reported as an event with the relevant numbers.
 */
@ControlConfined
record Detector(LbContext context) {
  /** Performs the steps that A50 prescribes for each sweep, in the order of A50. */
  void sweep(
      SweepTimer.Start start,
      String cluster,
      OutlierDetection detection,
      List<EndpointTracker> endpoints) {
    endpoints.forEach(EndpointTracker::endInterval);
    List<IntervalCalls> calls = endpoints.stream().map(EndpointTracker::last).toList();
    int ejected = (int) endpoints.stream().filter(EndpointTracker::isEjected).count();
    var budget = new EjectionBudget(detection.maxEjectionPercent(), endpoints.size(), ejected);
    var sweep = new Sweep(start, cluster, detection, budget);
    detection
        .successRate()
        .ifPresent(
            settings -> {
              var found = OutlierAlgorithms.candidates(settings, calls);
              evaluate(found, endpoints, settings.enforcement(), sweep);
            });
    detection
        .failurePercentage()
        .ifPresent(
            settings -> {
              var found = OutlierAlgorithms.candidates(settings, calls);
              evaluate(found, endpoints, settings.enforcement(), sweep);
            });
    endpoints.forEach(endpoint -> decayOrUneject(endpoint, sweep));
  }

  /**
   * The parameters of one sweep: its time, which is the same for all endpoints (A50-33), the
   * settings, and the budget of ejections.
   */
  private record Sweep(
      SweepTimer.Start start, String cluster, OutlierDetection detection, EjectionBudget budget) {}

  private void evaluate(
      List<Candidate> found, List<EndpointTracker> endpoints, int enforcement, Sweep sweep) {
    found.forEach(
        each -> evaluate(endpoints.get(each.host()), each.evidence(), enforcement, sweep));
  }

  /**
   * Ejects an outlier that is not ejected yet, unless the sweep's budget of ejections is used up or
   * a random draw is not below the enforcement percentage.
   */
  private void evaluate(
      EndpointTracker endpoint, OutlierEvent.Evidence evidence, int enforcement, Sweep sweep) {
    if (!(endpoint.state() instanceof EjectionState.Admitted admitted)) {
      return; // already ejected (A50-34, A50-57)
    }
    if (!sweep.budget().hasRoom()) {
      skip(endpoint, evidence, sweep, UnenforcedReason.MAX_EJECTION_OVERFLOW);
    } else if (context.random().nextLong(100, Purpose.ENFORCEMENT) >= enforcement) { // A50-26
      skip(endpoint, evidence, sweep, UnenforcedReason.ENFORCEMENT_PERCENTAGE);
    } else {
      eject(endpoint, admitted, evidence, sweep);
    }
  }

  private void eject(
      EndpointTracker endpoint,
      EjectionState.Admitted admitted,
      OutlierEvent.Evidence evidence,
      Sweep sweep) {
    Share before = sweep.budget().share();
    sweep.budget().spend();
    SweepTimer.Start now = sweep.start();
    EjectionState.Ejected ejected = admitted.eject(now.nanos(), now.time(), evidence.method());
    report(
        endpoint,
        new OutlierEvent.Ejected(
            sweep.cluster(),
            endpoint.address(),
            now.time(),
            evidence,
            before,
            sweep.budget().share(),
            ejected.multiplier(),
            ejected.until(sweep.detection())));
    endpoint.setState(ejected);
  }

  /**
   * Reports that an outlier is not ejected, and why. The {@link EjectionState} of the outlier stays
   * {@code Admitted} with the same multiplier (A50-27).
   */
  private void skip(
      EndpointTracker endpoint,
      OutlierEvent.Evidence evidence,
      Sweep sweep,
      UnenforcedReason reason) {
    report(
        endpoint,
        new OutlierEvent.Unenforced(
            sweep.cluster(),
            endpoint.address(),
            sweep.start().time(),
            evidence,
            sweep.budget().share(),
            endpoint.state().multiplier(),
            reason));
  }

  /**
   * Lowers the multiplier of an endpoint that is not ejected, or ends an ejection whose duration
   * has elapsed (A50-29, A50-31, A50-32).
   */
  private void decayOrUneject(EndpointTracker endpoint, Sweep sweep) {
    if (endpoint.state() instanceof EjectionState.Admitted admitted) {
      endpoint.setState(admitted.decayed());
    } else if (endpoint.state() instanceof EjectionState.Ejected ejected
        && ejected.isOver(sweep.start().nanos(), sweep.detection())) {
      admit(sweep.cluster(), endpoint, ejected, UnejectReason.TIME_IS_OVER);
    }
  }

  /** Ends all ejections and resets the multiplier of all endpoints to 0 (A50-45). */
  void unejectAll(String cluster, List<EndpointTracker> endpoints) {
    for (EndpointTracker endpoint : endpoints) {
      if (endpoint.state() instanceof EjectionState.Ejected ejected) {
        admit(cluster, endpoint, ejected, UnejectReason.DETECTION_IS_OFF);
      }
      endpoint.setState(EjectionState.NEW);
    }
  }

  private void admit(
      String cluster, EndpointTracker endpoint, EjectionState.Ejected ejected, UnejectReason why) {
    report(
        endpoint,
        new OutlierEvent.Unejected(
            cluster,
            endpoint.address(),
            context.control().now(),
            ejected.startTime(),
            ejected.multiplier(),
            why));
    endpoint.setState(ejected.admit());
  }

  private void report(EndpointTracker endpoint, OutlierEvent event) {
    endpoint.addToHistory(event);
    context.observer().onEvent(event);
  }

  /**
   * Limits how many endpoints are ejected at the same time. The two algorithms of a sweep share one
   * budget (A50-24). One endpoint may always be ejected, however small the maximum percentage is
   * (A50-23, decision lb-0010).
   */
  @ControlConfined
  static final class EjectionBudget {
    private final int maxPercent;
    private final int total;
    private int ejected;

    /**
     * @param total the number of endpoints of the cluster, in every priority, with or without
     *     traffic (A50-25)
     */
    EjectionBudget(int maxPercent, int total, int ejected) {
      this.maxPercent = maxPercent;
      this.total = total;
      this.ejected = ejected;
    }

    /** Whether one more endpoint may be ejected (A50-22). */
    boolean hasRoom() {
      return ejected == 0 || ejected * 100L < (long) maxPercent * total;
    }

    void spend() {
      ejected++;
    }

    Share share() {
      return new Share(ejected, total);
    }
  }
}
