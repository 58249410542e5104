package io.outrigger.proxy.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteIndex;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.tree.ClusterHandle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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
  private final Choice[] choices;

  private final RouteDecision.@Nullable Reject failure;

  private ConfigSelector(
      String authority,
      RouteIndex routes,
      Choice[] choices,
      RouteDecision.@Nullable Reject failure) {
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
   * @param ignoreRouteTimeout see {@link EffectiveTimeout#of}
   */
  static ConfigSelector of(
      String authority,
      XdsConfig config,
      RouteIndex routes,
      Map<String, ClusterHandle> handles,
      boolean ignoreRouteTimeout) {
    Optional<Duration> listenerLimit = config.listener().maxStreamDuration();
    Choice[] choices = new Choice[routes.size()];
    for (int i = 0; i < choices.length; i++) {
      choices[i] = choice(routes.route(i), listenerLimit, handles, ignoreRouteTimeout);
    }
    return new ConfigSelector(authority, routes, choices, null);
  }

  /** The selector of a target that has no usable configuration: every request fails so. */
  public static ConfigSelector failing(String authority, RpcStatus status) {
    return new ConfigSelector(
        authority,
        NO_ROUTES,
        new Choice[0],
        new RouteDecision.Reject(status.forDataPlane(), "xds_error"));
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
    int first = routes.first(path, request, random);
    if (first != RouteIndex.NONE) {
      return choices[first].choose(random);
    }
    return new RouteDecision.Reject(
        RpcStatus.unavailable("no route for authority \"" + authority + "\" and path " + path),
        "no_route");
  }

  private static String withoutQuery(String path) {
    int query = path.indexOf('?');
    return query < 0 ? path : path.substring(0, query);
  }

  private static Choice choice(
      Route route,
      Optional<Duration> listenerLimit,
      Map<String, ClusterHandle> handles,
      boolean ignoreRouteTimeout) {
    if (route.action() instanceof RouteAction.Unsupported unsupported) {
      var reject =
          new RouteDecision.Reject(
              RpcStatus.unavailable(
                  "route "
                      + describe(route)
                      + " has an action that is not supported: "
                      + unsupported.kind()),
              "no_route");
      return random -> reject;
    }
    var forward = (RouteAction.Forward) route.action();
    var limit = EffectiveTimeout.of(forward.timeout(), listenerLimit, ignoreRouteTimeout);
    if (forward.clusters() instanceof ClusterChoice.Single single) {
      RouteDecision decision = decision(route, single.cluster(), limit, handles);
      return random -> acquired(decision);
    }
    var weighted = ((ClusterChoice.Weighted) forward.clusters()).clusters();
    return WeightedDecisions.of(
        weighted, cluster -> decision(route, cluster.cluster(), limit, handles));
  }

  private static RouteDecision decision(
      Route route, String cluster, EffectiveTimeout limit, Map<String, ClusterHandle> handles) {
    ClusterHandle handle = handles.get(cluster);
    if (handle == null) { // A31-11: balancing is updated first, so this is a bug of ours
      return new RouteDecision.Reject(
          RpcStatus.internal("cluster \"" + cluster + "\" is unknown to load balancing"),
          "xds_error");
    }
    return new RouteDecision.Forward(handle, route, limit);
  }

  private static @Nullable RouteDecision acquired(RouteDecision decision) {
    if (decision instanceof RouteDecision.Forward forward && !forward.cluster().acquire()) {
      return null;
    }
    return decision;
  }

  private static String describe(Route route) {
    return route.name().isEmpty() ? "#" + route.index() : "\"" + route.name() + "\"";
  }

  /** Picks among the prepared decisions of a route. */
  private interface Choice {
    @Nullable RouteDecision choose(RandomSource random);
  }

  /** Decisions by weight: cumulative weights, searched once per request (A31-34). */
  private static final class WeightedDecisions implements Choice {
    private final long[] upTo;
    private final RouteDecision[] decisions;

    private WeightedDecisions(long[] upTo, RouteDecision[] decisions) {
      this.upTo = upTo;
      this.decisions = decisions;
    }

    static WeightedDecisions of(
        List<WeightedCluster> clusters, Function<WeightedCluster, RouteDecision> decide) {
      long[] upTo = new long[clusters.size()];
      RouteDecision[] decisions = new RouteDecision[clusters.size()];
      long sum = 0;
      for (int i = 0; i < upTo.length; i++) {
        sum += clusters.get(i).weight();
        upTo[i] = sum;
        decisions[i] = decide.apply(clusters.get(i));
      }
      return new WeightedDecisions(upTo, decisions);
    }

    @Override
    public @Nullable RouteDecision choose(RandomSource random) {
      long drawn = random.nextLong(upTo[upTo.length - 1], Purpose.CLUSTER_WEIGHT);
      int i = 0;
      while (drawn >= upTo[i]) {
        i++;
      }
      return acquired(decisions[i]);
    }
  }
}
