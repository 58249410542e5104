package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteIndex;
import io.outrigger.config.route.RouteTrace;
import io.outrigger.config.route.WireText;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one target with everything resolved beforehand (A31 "Config Selector"). Immutable;
 * a request asks once and keeps the answer, whatever is published afterwards (A31-01).
 */
@AnyThread
public final class ConfigSelector {
  private static final RouteIndex NO_ROUTES = RouteIndex.of(List.of());

  private final String authority;
  private final RouteIndex routes;

  /** The prepared answers of each route. */
  private final RouteChoice[] choices;

  private final RouteDecision.@Nullable Reject failure;

  /** Whether another selector may follow. */
  private final boolean isLast;

  private ConfigSelector(
      String authority,
      RouteIndex routes,
      RouteChoice[] choices,
      RouteDecision.@Nullable Reject failure,
      boolean isLast) {
    this.isLast = isLast;
    this.authority = authority;
    this.routes = routes;
    this.choices = choices;
    this.failure = failure;
  }

  /**
   * The selector of a configuration.
   *
   * @param authority the target's data-plane authority, for messages
   * @param routes the index of the routes of {@code config}
   * @param handles every cluster that a route of {@code config} names
   * @param filters make the chains of the routes
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  static ConfigSelector of(
      String authority,
      XdsConfig config,
      RouteIndex routes,
      Map<String, ClusterHandle> handles,
      HttpFilters filters,
      boolean ignoreRouteTimeout) {
    var prepared = new RouteChoices(config, handles, filters, ignoreRouteTimeout);
    RouteChoice[] choices = new RouteChoice[routes.size()];
    for (int i = 0; i < choices.length; i++) {
      choices[i] = prepared.of(routes.route(i));
    }
    return new ConfigSelector(authority, routes, choices, null, false);
  }

  /** The selector of a target that has no usable configuration: every request fails so. */
  public static ConfigSelector failing(String authority, RpcStatus status) {
    return failing(authority, status, false);
  }

  /** The selector of a target that nobody watches any more. */
  static ConfigSelector released(String authority, RpcStatus status) {
    return failing(authority, status, true);
  }

  private static ConfigSelector failing(String authority, RpcStatus status, boolean isLast) {
    return new ConfigSelector(
        authority,
        NO_ROUTES,
        new RouteChoice[0],
        new RouteDecision.Reject(status.forDataPlane(), "xds_error"),
        isLast);
  }

  /** Whether it fails every request and another one may come that does not. */
  public boolean mayRecover() {
    return failure != null && !isLast;
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
    return select(request, random, null);
  }

  /**
   * The same.
   *
   * @param trace told of each route that is asked; null when nobody wants to know
   */
  public @Nullable RouteDecision select(
      RequestView request, RandomSource random, @Nullable RouteTrace trace) {
    if (failure != null) {
      return failure;
    }
    String path = withoutQuery(request.path());
    int first = routes.first(path, request, random, trace);
    if (first != RouteIndex.NONE) {
      return choices[first].choose(random);
    }
    return new RouteDecision.Reject(
        RpcStatus.unavailable(
            "no route for authority \"" + authority + "\" and path " + WireText.read(path)),
        "no_route");
  }

  /** The routes in order of preference; the places of a {@link RouteTrace} are in this list. */
  public List<Route> routes() {
    return IntStream.range(0, routes.size()).mapToObj(routes::route).toList();
  }

  private static String withoutQuery(String path) {
    int query = path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }
}
