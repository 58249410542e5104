package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.route.RequestView;
import java.util.List;
import java.util.Set;

/**
 * The filters that a request of one route meets, in the listener's order. Without any it is {@link
 * #NONE}, and costs a request nothing.
 */
@AnyThread
public final class FilterChain {
  /** Only the router. */
  public static final FilterChain NONE = new FilterChain(List.of());

  private final List<RouteFilter> filters;

  private FilterChain(List<RouteFilter> filters) {
    this.filters = filters;
  }

  /** The chain of {@code filters}, in order; {@link #NONE} without any. */
  public static FilterChain of(List<RouteFilter> filters) {
    return filters.isEmpty() ? NONE : new FilterChain(List.copyOf(filters));
  }

  /** Whether no request meets a filter. */
  public boolean isEmpty() {
    return filters.isEmpty();
  }

  /** One request's way through. */
  public FilterPass begin(FilteredCall call) {
    return new FilterPass(filters, call);
  }

  /** What each filter may do to such a request; see {@link RouteFilter#plan}. */
  public List<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return filters.stream().map(filter -> filter.plan(request, clusters)).toList();
  }
}
