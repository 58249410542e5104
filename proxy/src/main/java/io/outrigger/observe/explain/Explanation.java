package io.outrigger.observe.explain;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.route.Route;
import io.outrigger.dataplane.filter.FilterPlan;
import io.outrigger.dataplane.filter.FilterPlan.AskedSession;
import io.outrigger.dataplane.forward.RequestPreview;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.view.LbNode;
import java.util.List;
import java.util.Optional;

/**
 * What would become of a request at this moment.
 *
 * @param domain the virtual host that serves the target; empty while there is no configuration
 * @param routes those that were asked or passed over, in order; of many the first
 * @param more how many further ones there are
 * @param branches the ways it can go, the likeliest first; empty while it would wait for the
 *     target's configuration
 */
@AnyThread
public record Explanation(
    String forward,
    String target,
    String authority,
    RequestPreview request,
    Optional<DomainMatch> domain,
    List<Verdict> routes,
    int more,
    List<Branch> branches) {
  public Explanation {
    routes = List.copyOf(routes);
    branches = List.copyOf(branches);
  }

  /** How a route stands to the request. */
  public enum Result {
    HIT,
    MISSED,
    /** It is drawn for a share of requests. */
    POSSIBLE
  }

  /**
   * A route's answer.
   *
   * @param missed the matcher that kept the request away, in words; of {@link Result#POSSIBLE} the
   *     share; empty for a hit
   */
  public record Verdict(Route route, Result result, String missed) {}

  /**
   * One way that the request can go.
   *
   * @param probability by the draws of routes and of weighted clusters
   * @param cluster where it goes: the decision's, or that of the request's session; empty when it
   *     is answered here
   * @param filters those that may do something to the request on the way, in order
   * @param session that the request belongs to; empty when the route keeps none
   * @param overlay what of the cluster is local policy
   * @param tree of the cluster, as it stands
   * @param plan what the cluster's picker would answer
   */
  public record Branch(
      double probability,
      RouteDecision decision,
      String cluster,
      List<FilterPlan> filters,
      Optional<AskedSession> session,
      OverlayEffect overlay,
      Optional<LbNode> tree,
      Optional<PickPlan> plan) {
    public Branch {
      filters = List.copyOf(filters);
    }

    /** One that ends here. */
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

    /**
     * Whether a request would meet the same here: of a weighted route, draws differ in their
     * filters, but a session leads all of them that keep it to one cluster (A60).
     */
    boolean isAs(
        RouteDecision.Forward other,
        String otherCluster,
        List<FilterPlan> otherFilters,
        Optional<AskedSession> asked) {
      return decision instanceof RouteDecision.Forward mine
          && mine.route().equals(other.route())
          && filters.equals(otherFilters)
          && cluster.equals(otherCluster)
          && session.equals(asked);
    }

    /** The same when further draws come to it. */
    Branch orWith(double more) {
      return new Branch(
          probability + more, decision, cluster, filters, session, overlay, tree, plan);
    }
  }
}
