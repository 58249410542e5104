package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteIndex;
import io.outrigger.config.route.RouteTrace;
import io.outrigger.config.route.VirtualHost;
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
 * Selects a route for each request of one target; clusters, filters and timeouts of the routes are
 * resolved in advance (A31 "Config Selector"). Immutable. A request is routed once and keeps its
 * decision, whatever is published afterwards (A31-01).
 */
@AnyThread
public final class ConfigSelector {
  private static final RouteIndex NO_ROUTES = RouteIndex.of(List.of());

  /** The thing whose routes these are, for messages. */
  private final String owner;

  private final RouteIndex routes;

  /** The prepared decisions of each route, by route index. */
  private final RouteChoice[] choices;

  private final RouteDecision.@Nullable Reject failure;

  /** Whether no other selector follows this one. */
  private final boolean isLast;

  private ConfigSelector(
      String owner,
      RouteIndex routes,
      RouteChoice[] choices,
      RouteDecision.@Nullable Reject failure,
      boolean isLast) {
    this.isLast = isLast;
    this.owner = owner;
    this.routes = routes;
    this.choices = choices;
    this.failure = failure;
  }

  /**
   * Creates the selector of a configuration.
   *
   * @param authority the target's data-plane authority, for messages
   * @param routes the index of the routes of {@code config}
   * @param handles all clusters that routes of {@code config} use, by name
   * @param filters creates the filter chains of the routes
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
    return new ConfigSelector("authority \"" + authority + "\"", routes, choices, null, false);
  }

  /**
   * Creates the selector of a target without a usable configuration; every request fails with
   * {@code status}.
   */
  public static ConfigSelector failing(String authority, RpcStatus status) {
    return failing(authority, status, false);
  }

  /** Creates the last selector of a target that is no longer watched. */
  static ConfigSelector released(String authority, RpcStatus status) {
    return failing(authority, status, true);
  }

  private static ConfigSelector failing(String authority, RpcStatus status, boolean isLast) {
    var failure = new RouteDecision.Reject(status.forDataPlane(), "xds_error");
    return new ConfigSelector(authority, NO_ROUTES, new RouteChoice[0], failure, isLast);
  }

  /** Creates the selector of a virtual host of a served listener. No other selector follows. */
  static ConfigSelector served(VirtualHost host, RouteIndex routes, RouteChoice[] choices) {
    return new ConfigSelector("virtual host \"" + host.name() + "\"", routes, choices, null, true);
  }

  /** Creates the selector of requests that a served listener rejects. No other selector follows. */
  static ConfigSelector rejecting(RouteDecision.Reject rejection) {
    return new ConfigSelector("", NO_ROUTES, new RouteChoice[0], rejection, true);
  }

  /** Whether this selector fails every request, but a working one may follow. */
  public boolean mayRecover() {
    return failure != null && !isLast;
  }

  /** The failure of the whole target; empty when the target has a usable configuration. */
  public Optional<RpcStatus> failure() {
    return Optional.ofNullable(failure).map(RouteDecision.Reject::status);
  }

  /**
   * Routes one request with the first route that matches (A28-04).
   *
   * @return a decision whose cluster is acquired, a rejection, or null when the cluster was retired
   *     meanwhile; a newer selector has then been published, which the caller must use
   */
  public @Nullable RouteDecision select(RequestView request, RandomSource random) {
    return select(request, random, null);
  }

  /**
   * Same as {@link #select(RequestView, RandomSource)}, and reports each examined route to {@code
   * trace}.
   *
   * @param trace notified of each examined route; null when not needed
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
        RpcStatus.unavailable("no route for " + owner + " and path " + WireText.read(path)),
        "no_route",
        isLast ? AppSelectors.HTTP_UNAVAILABLE : 0); // with routes, only served selectors are last
  }

  /**
   * The routes in order of preference. The places that a {@link RouteTrace} receives are indices in
   * this list.
   */
  public List<Route> routes() {
    return IntStream.range(0, routes.size()).mapToObj(routes::route).toList();
  }

  private static String withoutQuery(String path) {
    int query = path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }
}
