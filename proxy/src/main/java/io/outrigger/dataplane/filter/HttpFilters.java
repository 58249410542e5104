package io.outrigger.dataplane.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.FilterConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Creates the HTTP filters of routes. A process has one instance for all forwards, so that a filter
 * can count requests of the whole process.
 */
@AnyThread
public class HttpFilters {
  private final AtomicLong activeFaults;
  private final RbacObserver rbac;

  /**
   * @param activeFaults the number of active faults (A33 "Maximum active faults")
   * @param rbac receives the decisions of RBAC filters
   */
  public HttpFilters(AtomicLong activeFaults, RbacObserver rbac) {
    this.activeFaults = activeFaults;
    this.rbac = rbac;
  }

  /** Returns an instance for {@code --forward} ports, which have no RBAC filters. */
  public static HttpFilters ofProcess() {
    return new HttpFilters(new AtomicLong(), (call, filter, decision) -> {});
  }

  /**
   * Creates the filter chain of a route.
   *
   * @param filters the listener's filters in order
   * @param levels the overrides by filter name, the most specific level first; a filter's first
   *     override replaces the filter's whole configuration (A33-07)
   */
  public FilterChain chain(List<HttpFilter> filters, List<Map<String, FilterConfig>> levels) {
    List<RouteFilter> chain = new ArrayList<>(0);
    for (HttpFilter filter : filters) {
      filter(filter.name(), effective(filter, levels)).ifPresent(chain::add);
    }
    return new FilterChain(chain);
  }

  /** Returns the rules of the RBAC filters of a route; has the parameters of {@link #chain}. */
  public static Stream<Rbac.Rules> rbac(
      List<HttpFilter> filters, List<Map<String, FilterConfig>> levels) {
    return filters.stream()
        .map(filter -> effective(filter, levels))
        .flatMap(config -> config instanceof Rbac rbac ? rbac.rules().stream() : Stream.empty());
  }

  /** Creates one HTTP filter; empty when the filter would do nothing. */
  protected Optional<? extends RouteFilter> filter(String name, FilterConfig settings) {
    if (settings instanceof FilterConfig.Fault fault) {
      return FaultFilter.of(fault, activeFaults);
    }
    if (settings instanceof FilterConfig.StatefulSession session) {
      return SessionFilter.of(session);
    }
    if (settings instanceof Rbac policies) {
      return RbacFilter.of(name, policies, rbac);
    }
    if (settings instanceof FilterConfig.Router || settings instanceof FilterConfig.Disabled) {
      return Optional.empty();
    }
    throw new IllegalStateException("no filter for " + settings.getClass().getName());
  }

  /**
   * Returns the configuration of a filter with overrides applied. An override whose filter type
   * differs from the filter's type is ignored.
   */
  private static FilterConfig effective(HttpFilter filter, List<Map<String, FilterConfig>> levels) {
    for (Map<String, FilterConfig> level : levels) {
      FilterConfig override = level.get(filter.name());
      if (override instanceof FilterConfig.Disabled
          || (override != null && override.getClass() == filter.config().getClass())) {
        return override;
      }
    }
    return filter.config();
  }
}
