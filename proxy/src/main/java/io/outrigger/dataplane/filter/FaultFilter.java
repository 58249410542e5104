package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.FilterConfig.Abort;
import io.outrigger.config.route.FilterConfig.Delay;
import io.outrigger.config.route.RequestView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Injects faults (A33). When both a delay and an abort apply, the delay comes first (A33-03). A
 * fault is counted as active from its first effect to its last.
 */
@AnyThread
final class FaultFilter implements RouteFilter {
  private final FilterConfig.Fault fault;
  private final ActiveFaults active;

  private FaultFilter(FilterConfig.Fault fault, ActiveFaults active) {
    this.fault = fault;
    this.active = active;
  }

  /** Returns the filter; empty when it could never inject a fault. */
  static Optional<FaultFilter> of(FilterConfig.Fault fault, ActiveFaults active) {
    return fault.mayAct() ? Optional.of(new FaultFilter(fault, active)) : Optional.empty();
  }

  @Override
  public FilterStep onRequest(FilteredCall call) {
    long delayNanos = FaultDraw.delayNanos(fault, call.request(), call.random());
    FilterStep.Answer abort = FaultDraw.abort(fault, call.request(), call.random());
    boolean hit = delayNanos != FaultDraw.NO_DELAY || abort != null;
    if (!hit || !active.tryBegin(fault.maxActive().orElse(Long.MAX_VALUE))) {
      return FilterStep.PROCEED;
    }
    FilterStep last = abort == null ? FilterStep.PROCEED : abort;
    if (delayNanos != FaultDraw.NO_DELAY) {
      return new FilterStep.Pause(delayNanos, last, active::end);
    }
    active.end();
    return last;
  }

  @Override
  public FilterPlan plan(RequestView request, Set<String> clusters) {
    Map<String, String> effects = new LinkedHashMap<>();
    List<String> notKnowable = new ArrayList<>();
    fault
        .delay()
        .ifPresent(
            delay -> {
              effects.put("delay", text(delay) + " for " + delay.share());
              notKnowable.add("whether the fault filter delays it: " + delay.share());
            });
    fault
        .abort()
        .ifPresent(
            abort -> {
              effects.put("abort", text(abort) + " for " + abort.share());
              notKnowable.add("whether the fault filter aborts it: " + abort.share());
            });
    return new FilterPlan("fault", fault, effects, notKnowable, Optional.empty());
  }

  private static String text(Delay delay) {
    return delay.fixed().map(fixed -> fixed.toMillis() + " ms").orElse("as a header says");
  }

  private static String text(Abort abort) {
    Optional<String> grpc = abort.grpcStatus().map(status -> "gRPC status " + status);
    return grpc.or(() -> abort.httpStatus().map(status -> "HTTP status " + status))
        .orElse("the status that a header says");
  }
}
