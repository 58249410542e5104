package io.outrigger.observe.explain;

import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.route.Route;
import io.outrigger.dataplane.filter.FilterPlan;
import io.outrigger.dataplane.filter.FilterPlan.CookieSession;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.view.LbNode;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Explains how a request would be handled at this moment.
 *
 * @param authority returns the {@code :authority} that is sent, given the {@code :authority} that
 *     the route sets ("" if the route sets none)
 * @param domain the virtual host that serves the target; empty while there is no configuration
 * @param routes the verdicts on the first examined routes, in order
 * @param furtherRoutes the number of the remaining routes, for which there is no verdict
 * @param branches the possible outcomes, the most probable first; empty when the request would wait
 *     for the target's configuration
 */
public record Explanation(
    String forward,
    String target,
    UnaryOperator<String> authority,
    RequestHead request,
    Optional<DomainMatch> domain,
    List<Verdict> routes,
    int furtherRoutes,
    List<Branch> branches) {
  public Explanation {
    routes = List.copyOf(routes);
    branches = List.copyOf(branches);
  }

  public enum Result {
    HIT,
    MISSED,
    /** The route matches only a random fraction of the requests that match its other conditions. */
    POSSIBLE
  }

  /**
   * @param matcher the matcher that did not match; for {@link Result#POSSIBLE}, the route's
   *     fraction; for {@link Result#HIT}, empty
   */
  public record Verdict(Route route, Result result, String matcher) {}

  /**
   * One possible outcome for the request.
   *
   * @param cluster the cluster of the decision or of the request's session; empty when the proxy
   *     answers the request itself
   * @param filters the filters that may affect the request, in order
   * @param session the session of the request; empty when the route has no session affinity
   * @param overlay the effect of local policy on the cluster
   */
  public record Branch(
      double probability,
      RouteDecision decision,
      String cluster,
      List<FilterPlan> filters,
      Optional<CookieSession> session,
      OverlayEffect overlay,
      Optional<LbNode> tree,
      Optional<PickPlan> plan) {
    public Branch {
      filters = List.copyOf(filters);
    }

    static Branch answered(double probability, RouteDecision decision) {
      return new Branch(
          probability,
          decision,
          "",
          List.of(),
          Optional.empty(),
          OverlayEffect.NONE,
          Optional.empty(),
          Optional.empty());
    }

    Branch withMore(double added) {
      return new Branch(
          probability + added, decision, cluster, filters, session, overlay, tree, plan);
    }
  }
}
