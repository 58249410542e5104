package io.outrigger.dataplane.route;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.ResolvedRequest;
import io.outrigger.config.route.RequestView;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.WireText;
import io.outrigger.dataplane.filter.FilterStep;
import io.outrigger.dataplane.filter.LocalReason;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects a route for each request of one target; clusters, filters and timeouts of the routes are
 * resolved in advance (A31 "Config Selector"). Immutable. A request is routed once: later selectors
 * do not change its decision (A31-01).
 */
@AnyThread
public final class ConfigSelector {
  private final String owner;
  private final Route[] routes;
  private final RouteChoice[] choices;
  private final RouteDecision.@Nullable Reject failure;
  private final boolean isLast;
  private final boolean isGuarded;

  private ConfigSelector(
      String owner,
      List<Route> routes,
      RouteChoice[] choices,
      RouteDecision.@Nullable Reject failure,
      boolean isLast) {
    this.isLast = isLast;
    this.isGuarded = isLast && Arrays.stream(choices).anyMatch(RouteChoice::hasGuards);
    this.owner = owner;
    this.routes = routes.toArray(Route[]::new);
    this.choices = choices;
    this.failure = failure;
  }

  /**
   * Creates the selector that uses the routes of a configuration.
   *
   * @param owner the virtual host or authority to which the routes belong, for messages
   * @param isLast whether the target gets no later selector; true for each {@code --serve}
   */
  static ConfigSelector routing(
      String owner, List<Route> routes, Function<Route, RouteChoice> prepare, boolean isLast) {
    RouteChoice[] choices = routes.stream().map(prepare).toArray(RouteChoice[]::new);
    return new ConfigSelector(owner, routes, choices, null, isLast);
  }

  /** Creates the selector of a target without a usable configuration; every request fails. */
  public static ConfigSelector failing(RpcStatus status, boolean isLast) {
    return rejecting(new FilterStep.Answer(status.forDataPlane(), LocalReason.XDS_ERROR), isLast);
  }

  static ConfigSelector rejecting(FilterStep.Answer answer, boolean isLast) {
    var failure = new RouteDecision.Reject(answer);
    return new ConfigSelector("", List.of(), new RouteChoice[0], failure, isLast);
  }

  /** Whether this selector has no routes, and the target may later get a selector with routes. */
  public boolean mayRecover() {
    return failure != null && !isLast;
  }

  /** The failure of the whole target; empty when the target has a usable configuration. */
  public Optional<RpcStatus> failure() {
    return Optional.ofNullable(failure).map(reject -> reject.answer().status());
  }

  /**
   * Routes one request by the first route that matches (A28-04). The routes are tested in the order
   * of the configuration (decision config-0014).
   *
   * @return a decision whose cluster is acquired, or a rejection; null when the cluster was
   *     retired, so that the caller must use the target's newer selector
   */
  public @Nullable RouteDecision select(RequestView request, RandomSource random) {
    return select(request, random, null);
  }

  /**
   * Routes one request.
   *
   * @param trace receives the index of each compared route, and {@link RouteMatch#miss}
   */
  public @Nullable RouteDecision select(
      RequestView request, RandomSource random, @Nullable BiConsumer<Integer, Integer> trace) {
    if (failure != null) {
      return failure;
    }
    String path = AuthorizationInput.withoutQuery(request.path());
    List<String> others = isGuarded ? ResolvedRequest.resolve(path) : List.of();
    if (others == null) {
      return noRoute(
          "the path %s is too long, or has too many readings (decision config-0085)"
              .formatted(WireText.read(path)));
    }
    int found;
    Set<Integer> guards;
    try {
      found = find(path, request, random, trace);
      guards = others.isEmpty() ? Set.of() : guards(others, request, random);
    } catch (StackOverflowError e) { // RE2/J recurses into successive optional parts
      String text = "a regular expression in the routes of " + owner + " is too large to match";
      return new RouteDecision.Reject(
          new FilterStep.Answer(RpcStatus.internal(text), LocalReason.XDS_ERROR));
    }
    if (found < 0 || guards.contains(-1)) {
      return noRoute("no route for " + owner + " and path " + WireText.read(path));
    }
    RouteDecision decision = choices[found].choose(random);
    if (decision != null && !guards.isEmpty()) { // so that most calls need no iterator
      for (int guard : guards) {
        decision = guard == found ? decision : choices[guard].guard(decision);
      }
    }
    return decision;
  }

  /**
   * Returns the indices of the routes that match the given paths, with -1 if a path has no route.
   * The paths are other forms in which an app may read the request's path (decision config-0085).
   */
  private Set<Integer> guards(List<String> others, RequestView request, RandomSource random) {
    return others.stream()
        .map(other -> find(other, request, random, null))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private RouteDecision noRoute(String text) {
    return new RouteDecision.Reject(
        isLast
            ? AppSelectors.noRoute(text)
            : new FilterStep.Answer(RpcStatus.unavailable(text), LocalReason.NO_ROUTE));
  }

  /** Returns the index of the first route that matches; -1 if no route matches. */
  private int find(
      String path,
      RequestView request,
      RandomSource random,
      @Nullable BiConsumer<Integer, Integer> trace) {
    for (int i = 0; i < routes.length; i++) {
      int miss = routes[i].match().miss(path, request, random);
      if (trace != null) {
        trace.accept(i, miss);
      }
      if (miss == RouteMatch.NO_MISS) {
        return i;
      }
    }
    return -1;
  }

  /** The routes in order of preference. */
  public List<Route> routes() {
    return List.of(routes);
  }
}
