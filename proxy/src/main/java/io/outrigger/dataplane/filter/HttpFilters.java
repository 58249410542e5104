package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.FilterConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The supported HTTP filters, by the class of their settings. There is one instance per process, so
 * that a filter can count requests of the whole process.
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
   * Returns all filters.
   *
   * @param faults the counter that {@code max_active_faults} limits (A33)
   */
  public static HttpFilters of(ActiveFaults faults) {
    return new HttpFilters(Map.of())
        .with(FilterConfig.Router.class, router -> Optional.empty()) // needs no filter
        .with(FilterConfig.Fault.class, fault -> FaultFilter.of(fault, faults))
        .with(FilterConfig.StatefulSession.class, SessionFilter::of)
        .with(Rbac.class, HttpFilters::onServersOnly);
  }

  private static Optional<RouteFilter> onServersOnly(Rbac rbac) {
    throw new IllegalStateException("the decoder refuses RBAC in a listener for clients");
  }

  /** Returns all filters with a new counter of active faults. */
  public static HttpFilters ofProcess() {
    return of(new ActiveFaults());
  }

  /**
   * Returns these filters and one more.
   *
   * @param factory creates the {@link RouteFilter} for one route; empty when the filter would do
   *     nothing on this route
   * @throws IllegalStateException if there already is a filter for the settings class
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

  /** The settings classes of the supported filters. */
  public Set<Class<? extends FilterConfig>> settings() {
    return factories.keySet();
  }

  /**
   * Creates the filter chain of a route.
   *
   * @param filters the listener's filters in order
   * @param overrides the overrides by filter name, the most specific map first; the first override
   *     for a filter replaces its whole configuration (A33-07)
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

  /**
   * Returns the configuration of {@code filter} with overrides applied. An override for another
   * type of filter is ignored.
   */
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
