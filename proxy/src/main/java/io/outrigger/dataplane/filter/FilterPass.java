package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request's way through its chain, filter after filter, and its response's way back. */
@LoopConfined
public final class FilterPass {
  private final List<RouteFilter> filters;
  private final FilteredCall call;
  private int passed;
  private FilterStep.@Nullable Pause pause;

  FilterPass(List<RouteFilter> filters, FilteredCall call) {
    this.filters = filters;
    this.call = call;
  }

  /** What to do now; after a pause, when its time is over. */
  public FilterStep next() {
    FilterStep.Pause over = pause;
    if (over != null) {
      end();
      if (over.next() != FilterStep.PROCEED) {
        return over.next();
      }
    }
    while (passed < filters.size()) {
      FilterStep step = filters.get(passed++).onRequest(call);
      if (step instanceof FilterStep.Pause begun) {
        pause = begun;
      }
      if (step != FilterStep.PROCEED) {
        return step;
      }
    }
    return FilterStep.PROCEED;
  }

  /** The filters that the request has passed may change the head of its response. */
  public void onResponse(HeaderEdits head) {
    for (int i = passed - 1; i >= 0; i--) {
      filters.get(i).onResponse(call, head);
    }
  }

  /** The request goes no further, or went on; harmless a second time. */
  public void end() {
    FilterStep.Pause open = pause;
    if (open != null) {
      pause = null;
      open.onEnd().run();
    }
  }
}
