package io.outrigger.proxy.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The filters that a request of one route meets, in order, with the overrides of that route applied
 * (A39 "Filter Config Overrides"). Without any it is {@link #NONE}, and costs a request nothing.
 */
@AnyThread
public final class FilterChain {
  /** Only the router. */
  public static final FilterChain NONE = new FilterChain(List.of());

  private final List<FilterConfig.Fault> faults;

  private FilterChain(List<FilterConfig.Fault> faults) {
    this.faults = faults;
  }

  /**
   * Prepares a chain.
   *
   * @param filters the listener's, in order
   * @param overrides by filter name, the most specific first: of them the first that names a filter
   *     replaces its configuration as a whole (A33-07)
   */
  public static FilterChain of(
      List<HttpFilter> filters, List<Map<String, FilterConfig>> overrides) {
    List<FilterConfig.Fault> faults = new ArrayList<>(0);
    for (HttpFilter filter : filters) {
      if (effective(filter, overrides) instanceof FilterConfig.Fault fault && fault.mayAct()) {
        faults.add(fault);
      }
    }
    return faults.isEmpty() ? NONE : new FilterChain(List.copyOf(faults));
  }

  /** An override that is for another kind of filter says nothing about this one. */
  private static FilterConfig effective(
      HttpFilter filter, List<Map<String, FilterConfig>> overrides) {
    for (Map<String, FilterConfig> level : overrides) {
      FilterConfig override = level.get(filter.name());
      if (override instanceof FilterConfig.Disabled
          || (override != null && override.getClass() == filter.config().getClass())) {
        return override;
      }
    }
    return filter.config();
  }

  public boolean isEmpty() {
    return faults.isEmpty();
  }

  /** What a request meets, in order. */
  public List<FilterConfig.Fault> faults() {
    return faults;
  }

  /** One request's way through; {@code request} is asked only before the first pause ends. */
  public FilterPass begin(RequestView request, RandomSource random, ActiveFaults active) {
    return new FilterPass(faults, request, random, active);
  }
}
