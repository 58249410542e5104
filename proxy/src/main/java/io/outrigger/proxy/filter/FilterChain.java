package io.outrigger.proxy.filter;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.config.route.RequestView;
import io.outrigger.proxy.session.Session;
import io.outrigger.proxy.session.SessionFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filters that a request of one route meets, in order, with the overrides of that route applied
 * (A39 "Filter Config Overrides"). Without any it is {@link #NONE}, and costs a request nothing.
 */
@AnyThread
public final class FilterChain {
  /** Only the router. */
  public static final FilterChain NONE = new FilterChain(List.of(), List.of());

  private final List<FilterConfig.Fault> faults;
  private final List<SessionFilter> sessions;

  private FilterChain(List<FilterConfig.Fault> faults, List<SessionFilter> sessions) {
    this.faults = faults;
    this.sessions = sessions;
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
    List<SessionFilter> sessions = new ArrayList<>(0);
    for (HttpFilter filter : filters) {
      FilterConfig config = effective(filter, overrides);
      if (config instanceof FilterConfig.Fault fault && fault.mayAct()) {
        faults.add(fault);
      } else if (config instanceof FilterConfig.StatefulSession session) {
        session.cookie().map(SessionFilter::new).ifPresent(sessions::add);
      }
    }
    return faults.isEmpty() && sessions.isEmpty()
        ? NONE
        : new FilterChain(List.copyOf(faults), List.copyOf(sessions));
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

  /** Whether a request could be held back or answered on its way: whether to {@link #begin}. */
  public boolean mayInterfere() {
    return !faults.isEmpty();
  }

  /**
   * The session of a request, of the first session filter whose cookie covers its path; null when
   * there is none (A55, decision 0012).
   */
  public @Nullable Session session(RequestView request) {
    for (SessionFilter filter : sessions) {
      Session session = filter.begin(request);
      if (session != null) {
        return session;
      }
    }
    return null;
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
