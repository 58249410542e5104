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
  private final Map<Class<? extends FilterConfig>, Factory<FilterConfig>> factories;

  /** Creates a filter for one route; empty when the filter would do nothing on this route. */
  private interface Factory<C> {
    Optional<RouteFilter> create(String name, C settings);
  }

  private HttpFilters(Map<Class<? extends FilterConfig>, Factory<FilterConfig>> factories) {
    this.factories = Map.copyOf(factories);
  }

  /**
   * Returns all filters.
   *
   * @param faults the counter that {@code max_active_faults} limits (A33)
   * @param rbac receives the decisions of RBAC filters, which only served listeners have
   */
  static HttpFilters of(ActiveFaults faults, RbacObserver rbac) {
    return new HttpFilters(Map.of())
        .with(FilterConfig.Router.class, router -> Optional.empty()) // needs no filter
        .with(FilterConfig.Fault.class, fault -> FaultFilter.of(fault, faults))
        .with(FilterConfig.StatefulSession.class, SessionFilter::of)
        .named(Rbac.class, (name, settings) -> RbacFilter.of(name, settings, rbac).map(f -> f));
  }

  /** Returns all filters for forwards. */
  public static HttpFilters of(ActiveFaults faults) {
    return of(faults, (call, filter, rules, decision) -> {});
  }

  /** Returns all filters for a served listener, with the receiver of RBAC's decisions. */
  public static HttpFilters ofServer(RbacObserver rbac) {
    return of(new ActiveFaults(), rbac);
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
    return named(settings, (name, given) -> factory.apply(given).map(filter -> filter));
  }

  private <C extends FilterConfig> HttpFilters named(Class<C> settings, Factory<C> factory) {
    if (factories.containsKey(settings)) {
      throw new IllegalStateException("two filters for " + settings.getName());
    }
    var more = new HashMap<>(factories);
    more.put(settings, (name, given) -> factory.create(name, settings.cast(given)));
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
        prepare(filter.name(), config).ifPresent(chain::add);
      }
    }
    return FilterChain.of(chain);
  }

  private Optional<RouteFilter> prepare(String name, FilterConfig config) {
    Factory<FilterConfig> factory = factories.get(config.getClass());
    if (factory == null) {
      throw new IllegalStateException("no filter for " + config.getClass().getName());
    }
    return factory.create(name, config);
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
