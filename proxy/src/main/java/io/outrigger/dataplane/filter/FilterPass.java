package io.outrigger.dataplane.filter;

import io.outrigger.base.LoopConfined;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one request through the filters of its chain in order, and its response through the same
 * filters in reverse order.
 */
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

  /**
   * Returns the next step of the call. After a {@link FilterStep.Pause}, call this again when the
   * pause is over.
   */
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

  /**
   * Calls the filters that the request has passed.
   *
   * @param fields see {@link RouteFilter#onResponse}
   */
  public void onResponse(BiConsumer<String, String> fields) {
    for (int i = passed - 1; i >= 0; i--) {
      filters.get(i).onResponse(call, fields);
    }
  }

  /**
   * Ends an open pause, because its time is over or the call has ended. A second call does nothing.
   */
  public void end() {
    FilterStep.Pause open = pause;
    if (open != null) {
      pause = null;
      open.onEnd().run();
    }
  }
}
