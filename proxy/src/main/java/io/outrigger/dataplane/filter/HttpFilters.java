package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The HTTP filters that run here, by the class of their settings. One for the process: a filter may
 * keep a count of all its requests here.
 */
@AnyThread
public final class HttpFilters {
  private final Map<Class<? extends FilterConfig>, Function<FilterConfig, Optional<RouteFilter>>>
      factories;

  private HttpFilters(
      Map<Class<? extends FilterConfig>, Function<FilterConfig, Optional<RouteFilter>>> factories) {
    this.factories = Map.copyOf(factories);
  }

  /**
   * All filters.
   *
   * @param faults the count that {@code max_active_faults} limits (A33)
   */
  public static HttpFilters of(ActiveFaults faults) {
    return new HttpFilters(Map.of())
        .with(FilterConfig.Router.class, router -> Optional.empty()) // forwarding is what it does
        .with(FilterConfig.Fault.class, fault -> FaultFilter.of(fault, faults))
        .with(FilterConfig.StatefulSession.class, SessionFilter::of);
  }

  /** All filters, of a process of its own. */
  public static HttpFilters ofProcess() {
    return of(new ActiveFaults());
  }

  /**
   * These and one more.
   *
   * @param factory makes what the filter is on a route; empty when it can do nothing there
   * @throws IllegalStateException if there is a filter for {@code settings}
   */
  public <C extends FilterConfig> HttpFilters with(
      Class<C> settings, Function<C, Optional<? extends RouteFilter>> factory) {
    if (factories.containsKey(settings)) {
      throw new IllegalStateException("two filters for " + settings.getName());
    }
    var more = new HashMap<>(factories);
    more.put(settings, given -> factory.apply(settings.cast(given)).map(filter -> filter));
    return new HttpFilters(more);
  }

  /** The classes of settings that there is a filter for. */
  public Set<Class<? extends FilterConfig>> settings() {
    return factories.keySet();
  }

  /**
   * Prepares the chain of a route.
   *
   * @param filters the listener's, in order
   * @param overrides by filter name, the most specific first: of them the first that names a filter
   *     replaces its configuration as a whole (A33-07)
   */
  public FilterChain chain(List<HttpFilter> filters, List<Map<String, FilterConfig>> overrides) {
    List<RouteFilter> chain = new ArrayList<>(0);
    for (HttpFilter filter : filters) {
      FilterConfig config = effective(filter, overrides);
      if (!(config instanceof FilterConfig.Disabled)) {
        prepare(config).ifPresent(chain::add);
      }
    }
    return FilterChain.of(chain);
  }

  private Optional<RouteFilter> prepare(FilterConfig config) {
    Function<FilterConfig, Optional<RouteFilter>> factory = factories.get(config.getClass());
    if (factory == null) {
      throw new IllegalStateException("no filter for " + config.getClass().getName());
    }
    return factory.apply(config);
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
}
