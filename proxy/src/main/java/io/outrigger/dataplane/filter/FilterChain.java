package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.route.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The filters of one route in the listener's order. A chain without filters is {@link #NONE}, which
 * adds no cost to a request.
 */
@AnyThread
public final class FilterChain {
  /** The chain without filters apart from the router. */
  public static final FilterChain NONE = new FilterChain(List.of());

  private final List<RouteFilter> filters;

  private FilterChain(List<RouteFilter> filters) {
    this.filters = filters;
  }

  /** Returns the chain of {@code filters} in the given order; {@link #NONE} when there are none. */
  public static FilterChain of(List<RouteFilter> filters) {
    return filters.isEmpty() ? NONE : new FilterChain(List.copyOf(filters));
  }

  /** Returns this chain with {@code last} after its filters. */
  public FilterChain and(RouteFilter last) {
    return new FilterChain(Stream.concat(filters.stream(), Stream.of(last)).toList());
  }

  public boolean isEmpty() {
    return filters.isEmpty();
  }

  /** Starts to run one request through this chain. */
  public FilterPass begin(FilteredCall call) {
    return new FilterPass(filters, call);
  }

  /** Describes what each filter may do to {@code request}; see {@link RouteFilter#plan}. */
  public List<FilterPlan> plan(RequestView request, Set<String> clusters) {
    return filters.stream().map(filter -> filter.plan(request, clusters)).toList();
  }

  /** Returns the verdicts on a request up to the first refusal; see {@link RouteFilter#judge}. */
  public List<FilterVerdict> judge(AuthorizationInput input) {
    List<FilterVerdict> verdicts = new ArrayList<>();
    for (RouteFilter filter : filters) {
      filter.judge(input).ifPresent(verdicts::add);
      if (!verdicts.isEmpty() && verdicts.get(verdicts.size() - 1).refusal().isPresent()) {
        break;
      }
    }
    return verdicts;
  }
}
