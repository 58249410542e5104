package io.outrigger.proxy.filter;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request's way through its chain: filter after filter, each first a delay and then an abort if
 * both hit (A33-03). A fault counts as active from its first effect to its last.
 */
@LoopConfined
public final class FilterPass {
  private final List<FilterConfig.Fault> faults;
  private final RequestView request;
  private final RandomSource random;
  private final ActiveFaults active;
  private int passed;
  private boolean counted;
  private FilterStep.@Nullable Answer afterPause;

  FilterPass(
      List<FilterConfig.Fault> faults,
      RequestView request,
      RandomSource random,
      ActiveFaults active) {
    this.faults = faults;
    this.request = request;
    this.random = random;
    this.active = active;
  }

  /** What to do now; after a pause, when its time is over. */
  public FilterStep next() {
    FilterStep.Answer answer = afterPause;
    if (answer != null) {
      end();
      return answer;
    }
    end();
    while (passed < faults.size()) {
      FilterStep step = inject(faults.get(passed++));
      if (step != FilterStep.PROCEED) {
        return step;
      }
    }
    return FilterStep.PROCEED;
  }

  private FilterStep inject(FilterConfig.Fault fault) {
    long delayNanos = FaultDraw.delayNanos(fault, request, random);
    FilterStep.Answer abort = FaultDraw.abort(fault, request, random);
    boolean hit = delayNanos != FaultDraw.NO_DELAY || abort != null;
    if (!hit || !active.tryBegin(fault.maxActive().orElse(Long.MAX_VALUE))) {
      return FilterStep.PROCEED;
    }
    counted = true;
    if (delayNanos != FaultDraw.NO_DELAY) {
      afterPause = abort;
      return new FilterStep.Pause(delayNanos);
    }
    end();
    return abort == null ? FilterStep.PROCEED : abort;
  }

  /** The request goes no further, or went on; harmless a second time. */
  public void end() {
    afterPause = null;
    if (counted) {
      counted = false;
      active.end();
    }
  }
}
