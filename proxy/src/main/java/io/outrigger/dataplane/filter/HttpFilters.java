package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.FilterConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The supported HTTP filters, by the class of their settings. There is one instance per process, so
 * that a filter can count requests of the whole process.
 */
@AnyThread
public final class HttpFilters {
  private final Map<Class<? extends FilterConfig>, Factory> factories;

  /** Creates a filter for one route; empty when the filter would do nothing on this route. */
  @FunctionalInterface
  public interface Factory {
    /** {@code settings} are of the class that the factory is for. */
    Optional<? extends RouteFilter> create(String name, FilterConfig settings);
  }

  public HttpFilters(Map<Class<? extends FilterConfig>, Factory> factories) {
    this.factories = factories;
  }

  /**
   * Returns all filters.
   *
   * @param faults the counter that {@code max_active_faults} limits (A33)
   * @param rbac receives the decisions of RBAC filters, which only served listeners have
   */
  private static HttpFilters of(ActiveFaults faults, RbacObserver rbac) {
    return new HttpFilters(
        Map.of(
            FilterConfig.Router.class,
            (name, router) -> Optional.empty(), // needs no filter
            FilterConfig.Fault.class,
            (name, fault) -> FaultFilter.of((FilterConfig.Fault) fault, faults),
            FilterConfig.StatefulSession.class,
            (name, session) -> SessionFilter.of((FilterConfig.StatefulSession) session),
            Rbac.class,
            (name, settings) -> RbacFilter.of(name, (Rbac) settings, rbac)));
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

  private Optional<? extends RouteFilter> prepare(String name, FilterConfig config) {
    Factory factory = factories.get(config.getClass());
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
