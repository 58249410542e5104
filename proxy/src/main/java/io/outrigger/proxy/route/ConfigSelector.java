package io.outrigger.proxy.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one target with everything resolved beforehand (A31 "Config Selector"). Immutable;
 * a request asks once and keeps the answer, whatever is published afterwards (A31-01).
 */
@AnyThread
public final class ConfigSelector {
  private final String authority;
  private final List<Entry> entries;
  private final RouteDecision.@Nullable Reject failure;

  /** One route and its prepared answers. */
  private record Entry(Route route, RouteChoice choice) {}

  private ConfigSelector(
      String authority, List<Entry> entries, RouteDecision.@Nullable Reject failure) {
    this.authority = authority;
    this.entries = entries;
    this.failure = failure;
  }

  /**
   * The selector of a configuration.
   *
   * @param authority the target's data-plane authority, for messages
   * @param handles every cluster that a route of {@code config} names
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  public static ConfigSelector of(
      String authority,
      XdsConfig config,
      Map<String, ClusterHandle> handles,
      boolean ignoreRouteTimeout) {
    var choices = new RouteChoices(config, handles, ignoreRouteTimeout);
    List<Entry> entries =
        config.virtualHost().routes().stream()
            .map(route -> new Entry(route, choices.of(route)))
            .toList();
    return new ConfigSelector(authority, entries, null);
  }

  /** The selector of a target that has no usable configuration: every request fails so. */
  public static ConfigSelector failing(String authority, RpcStatus status) {
    return new ConfigSelector(
        authority, List.of(), new RouteDecision.Reject(status.forDataPlane(), "xds_error"));
  }

  /** The failure of the whole target, when there is no usable configuration. */
  public Optional<RpcStatus> failure() {
    return Optional.ofNullable(failure).map(RouteDecision.Reject::status);
  }

  /**
   * Routes one request: the first route that matches decides (A28-04).
   *
   * @return a decision whose cluster is acquired, a rejection, or null when the cluster was retired
   *     under us: a newer selector has been published, ask that one
   */
  public @Nullable RouteDecision select(RequestView request, RandomSource random) {
    if (failure != null) {
      return failure;
    }
    String path = withoutQuery(request.path());
    for (Entry entry : entries) {
      if (matches(entry.route(), path, request, random)) {
        return entry.choice().choose(random);
      }
    }
    return new RouteDecision.Reject(
        RpcStatus.unavailable("no route for authority \"" + authority + "\" and path " + path),
        "no_route");
  }

  private static boolean matches(
      Route route, String path, RequestView request, RandomSource random) {
    if (!route.match().path().matches(path)) {
      return false;
    }
    List<HeaderMatcher> headers = route.match().headers();
    for (int i = 0; i < headers.size(); i++) {
      if (!headers.get(i).matches(request)) {
        return false;
      }
    }
    var fraction = route.match().fraction();
    return fraction.isEmpty() || fraction.get().draw(random, Purpose.ROUTE_FRACTION);
  }

  private static String withoutQuery(String path) {
    int query = path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }
}
