package io.outrigger.observe.explain;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.dataplane.filter.FilterPlan;
import io.outrigger.dataplane.filter.FilterPlan.CookieSession;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.view.LbNode;
import io.outrigger.observe.explain.Explanation.Branch;
import io.outrigger.observe.explain.Explanation.Result;
import io.outrigger.observe.explain.Explanation.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Explains how a request would be routed and balanced. The current selector routes the request once
 * for each possible result of random draws. The pickers of the selected clusters then report how
 * they would balance the request.
 *
 * <p>A route that matches only a fraction of requests needs a random draw. In the first walk
 * through the routes, every draw matches. If a walk ends with a route that matches only because of
 * a draw, this draw fails in the next walk through the routes. The last walk through the routes
 * ends with a match that needs no draw, or without a match.
 */
@ControlConfined
public final class Explainer {
  private static final int MAX_WALKS = 16;
  private static final int MAX_BRANCHES = 32;
  private static final int MAX_ROUTES = 500;

  private final Forward forward;
  private final ConfigSelector selector;
  private final RequestHead request;
  private final Function<String, Optional<LbNode>> trees;

  /** The trees of the clusters in {@link #branches}; each tree is copied only once. */
  private final Map<String, Optional<LbNode>> treesByCluster = new HashMap<>();

  private final Map<String, OverlayEffect> overlayEffects;
  private final List<Route> routes;

  /**
   * The possible results. If a result forwards the request, its key is an {@link Outcome}, so that
   * equal results are merged. The key of a local reply is a new object, so that local replies are
   * never merged.
   */
  private final Map<Object, Branch> branches = new LinkedHashMap<>();

  /**
   * The result of each examined route, by the route's index. The result is the index of the route's
   * matcher that did not match, or {@link RouteMatch#NO_MISS} if the route matched at least once.
   */
  private final Map<Integer, Integer> results = new TreeMap<>();

  private Explainer(
      Forward forward,
      ConfigSelector selector,
      RequestHead request,
      Function<String, Optional<LbNode>> trees,
      Map<String, OverlayEffect> overlayEffects) {
    this.forward = forward;
    this.selector = selector;
    this.request = request;
    this.trees = trees;
    this.overlayEffects = overlayEffects;
    this.routes = selector.routes();
  }

  /**
   * @param trees the load-balancing tree of each cluster, by the cluster's name
   * @param overlayEffects the effects of local policy, by cluster name
   */
  public static Explanation explain(
      Forward forward,
      ForwardTarget target,
      RequestHead request,
      Optional<DomainMatch> domain,
      Function<String, Optional<LbNode>> trees,
      Map<String, OverlayEffect> overlayEffects) {
    ConfigSelector selector = target.selector();
    List<Verdict> verdicts = List.of();
    List<Branch> branches = List.of();
    int furtherRoutes = 0;
    if (selector != null) {
      var explainer = new Explainer(forward, selector, request, trees, overlayEffects);
      explainer.walk();
      verdicts = explainer.verdicts();
      furtherRoutes = explainer.routes.size() - verdicts.size();
      branches =
          explainer.branches.values().stream()
              .sorted(Comparator.comparingDouble(Branch::probability).reversed())
              .toList();
    }
    return new Explanation(
        forward.name(),
        target.name(),
        rewritten -> forward.authority(request, target, rewritten),
        request,
        domain,
        verdicts,
        furtherRoutes,
        branches);
  }

  /**
   * The part of an outcome that does not depend on random draws. Different draws among weighted
   * clusters may have equal outcomes, because a session overrides the drawn cluster (A60).
   */
  private record Outcome(
      Route route, List<FilterPlan> filters, String cluster, Optional<CookieSession> session) {}

  /** One walk through the routes: its probability, and the number of its random draws. */
  private final class Walk {
    private final int misses;
    private double probability = 1;
    private int draws;
    private boolean isHitDrawn;

    Walk(int misses) {
      this.misses = misses;
    }

    @Nullable RouteDecision decision(long clusterDraw) {
      probability = 1;
      draws = 0;
      return selector.select(request, new DecidedDraws(misses, clusterDraw), this::onExamined);
    }

    private void onExamined(int index, int miss) {
      RouteMatch match = routes.get(index).match();
      results.merge(index, miss, (a, b) -> a == RouteMatch.NO_MISS ? a : b);
      boolean isHit = miss == RouteMatch.NO_MISS;
      double share = match.fraction().map(Fraction::asDouble).orElse(1.0);
      boolean isDrawn = share < 1 && (isHit || miss == 1 + match.headers().size());
      if (isDrawn) {
        draws++;
        probability *= isHit ? share : 1 - share;
      }
      isHitDrawn = isHit && isDrawn;
    }
  }

  private void walk() {
    int misses = 0;
    for (int i = 0; i < MAX_WALKS; i++) {
      var walk = new Walk(misses);
      RouteDecision first = walk.decision(0);
      if (first != null) {
        add(walk, first);
      }
      if (!walk.isHitDrawn) {
        return;
      }
      misses = walk.draws; // the next walk misses what this walk hit
    }
  }

  private void add(Walk walk, RouteDecision first) {
    double probability = walk.probability;
    if (!(first instanceof RouteDecision.Forward forwarded)
        || !(forwarded.action().clusters() instanceof ClusterChoice.Weighted weighted)) {
      addBranch(probability, first);
      return;
    }
    forwarded.cluster().release(); // the loop below acquires each cluster
    double all = weighted.clusters().stream().mapToLong(WeightedCluster::weight).sum();
    long upTo = 0;
    for (WeightedCluster cluster : weighted.clusters()) {
      if (cluster.weight() > 0) {
        RouteDecision decision = walk.decision(upTo);
        if (decision != null) {
          addBranch(probability * (cluster.weight() / all), decision);
        }
      }
      upTo += cluster.weight();
    }
  }

  private void addBranch(double probability, RouteDecision decision) {
    if (decision instanceof RouteDecision.Forward chosen) {
      addForwarded(probability, chosen);
    } else if (probability > 0 && branches.size() < MAX_BRANCHES) {
      branches.put(new Object(), Branch.answered(probability, decision));
    }
  }

  /**
   * Adds a possible outcome for a forwarded request. The cluster is selected as for a call: by the
   * session of the request, or without a session by the routing decision. Draws with equal outcomes
   * are merged.
   */
  private void addForwarded(double probability, RouteDecision.Forward chosen) {
    List<FilterPlan> plans = chosen.filters().plan(request, chosen.clusters().keySet());
    List<FilterPlan> acting = plans.stream().filter(plan -> !plan.effects().isEmpty()).toList();
    Optional<CookieSession> asked =
        plans.stream().flatMap(plan -> plan.session().stream()).findFirst();
    ClusterHandle cluster =
        chosen.change(chosen.cluster(), asked.map(CookieSession::routeCluster).orElse(""));
    try {
      var outcome = new Outcome(chosen.route(), acting, cluster.name(), asked);
      Branch same = branches.get(outcome);
      if (same != null) {
        branches.put(outcome, same.withMore(probability));
      } else if (probability > 0 && branches.size() < MAX_BRANCHES) {
        PlannedCall call =
            request.on(chosen.route(), forward.channelId(), asked.map(CookieSession::addresses));
        branches.put(
            outcome,
            new Branch(
                probability,
                chosen,
                cluster.name(),
                acting,
                asked,
                overlayEffects.getOrDefault(cluster.name(), OverlayEffect.NONE),
                treesByCluster.computeIfAbsent(cluster.name(), trees),
                Optional.of(cluster.picker().plan(call))));
      }
    } finally {
      cluster.release(); // the plan is complete, and no call follows
    }
  }

  private List<Verdict> verdicts() {
    List<Verdict> verdicts = new ArrayList<>();
    for (int index = 0; index < results.size() && verdicts.size() < MAX_ROUTES; index++) {
      Route route = routes.get(index);
      int miss = requireNonNull(results.get(index)); // each walk starts at the first route
      String matcher = miss == RouteMatch.NO_MISS ? "" : route.match().matcher(miss);
      Result result = Result.MISSED;
      if (miss == RouteMatch.NO_MISS) {
        boolean isShare = route.match().fraction().filter(f -> f.asDouble() < 1).isPresent();
        result = isShare ? Result.POSSIBLE : Result.HIT;
        matcher = isShare ? route.match().matcher(1 + route.match().headers().size()) : "";
      }
      verdicts.add(new Verdict(route, result, matcher));
    }
    return verdicts;
  }

  /**
   * Returns fixed values instead of random draws. For routes that match only a fraction of
   * requests, the first {@code misses} draws fail, and all later draws succeed. The draw for
   * weighted clusters returns {@code clusterDraw}.
   */
  @ControlConfined
  private static final class DecidedDraws implements RandomSource {
    private final int misses;
    private final long clusterDraw;
    private int shares;

    DecidedDraws(int misses, long clusterDraw) {
      this.misses = misses;
      this.clusterDraw = clusterDraw;
    }

    @Override
    public long nextLong(long bound, Purpose purpose) {
      return switch (purpose) {
        case ROUTE_FRACTION -> shares++ < misses ? bound - 1 : 0;
        case CLUSTER_WEIGHT -> clusterDraw;
        default -> throw new IllegalStateException("routing draws no " + purpose);
      };
    }
  }
}
