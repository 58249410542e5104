package io.outrigger.lb.tree;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.Backend;
import io.outrigger.lb.FailureNote;
import io.outrigger.lb.LbConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * From what discovery says of a cluster to the configuration of its tree (A75); pure functions.
 *
 * <pre>
 * leaf       outlier_detection( cluster_impl( override_host( priority( one child per priority ))))
 *            where a child is weighted_target( leaf policy per locality ), or the leaf policy
 * aggregate  priority( one leaf's tree after the other )
 * </pre>
 */
final class ClusterTree {
  /** 1 in the fixed-point form of A113, which has 31 bits behind the point. */
  private static final long ONE = 1L << 31;

  private ClusterTree() {}

  /**
   * The tree of a cluster with endpoints of its own.
   *
   * @param names one for each priority, when there are endpoints
   */
  static LbConfig leaf(ClusterConfig.Leaf leaf, PriorityNames names) {
    ClusterResource cluster = leaf.cluster();
    var note = new FailureNote(cluster.name(), leaf.resolutionNote());
    List<DropCategory> drops =
        leaf.endpoints().toOptional().map(EndpointSet::drops).orElse(List.of());
    LbConfig child =
        leaf.endpoints()
            .match(
                endpoints -> priorities(cluster, endpoints, names, note),
                status -> new LbConfig.Failing(note.unavailable(status.message())));
    return new LbConfig.OutlierDetecting(
        cluster.name(),
        cluster.outlierDetection().filter(detection -> heedsEjections(policyOf(cluster))),
        new LbConfig.ClusterImpl(
            note,
            edsServiceName(cluster.source()),
            drops,
            cluster.maxRequests(),
            cluster.maxConnections(),
            cluster.loadReporting(),
            new LbConfig.OverrideHost(
                cluster.overrideHostStatus(),
                cluster.idleTimeout(),
                unusable(leaf, cluster.overrideHostStatus()::contains),
                unusable(leaf, health -> !cluster.overrideHostStatus().contains(health)),
                child)));
  }

  /**
   * The tree of an aggregate: whole trees of leaves, each with its own policy and limits (A75-02,
   * A75-22), in one layer of priorities (A75-20).
   *
   * @param leaves those that are usable, in order of preference
   */
  static LbConfig aggregate(ClusterConfig.Aggregate aggregate, List<LeafTree> leaves) {
    String name = aggregate.cluster().name();
    if (leaves.isEmpty()) {
      return new LbConfig.Refusing(
          new FailureNote(name, aggregate.resolutionNote())
              .unavailable("none of its clusters is usable"));
    }
    return new LbConfig.Priority(
        name,
        leaves.stream()
            .map(
                leaf ->
                    new LbConfig.Child(leaf.name(), leaf.name(), leaf.config(), leaf.reresolves()))
            .toList());
  }

  static boolean reresolves(ClusterSource source) {
    return source instanceof ClusterSource.LogicalDns;
  }

  private static LbConfig priorities(
      ClusterResource cluster, EndpointSet endpoints, PriorityNames names, FailureNote note) {
    List<LbConfig.Child> children = new ArrayList<>();
    for (int i = 0; i < endpoints.priorities().size(); i++) {
      List<LocalityEndpoints> usable = usable(cluster, endpoints.priorities().get(i));
      if (!usable.isEmpty()) {
        children.add(
            new LbConfig.Child(
                names.names().get(i),
                "priority " + i,
                policy(policyOf(cluster), usable, i, note, ""),
                reresolves(cluster.source())));
      }
    }
    return children.isEmpty()
        ? new LbConfig.Failing(note.unavailable("contains no usable endpoint"))
        : new LbConfig.Priority(cluster.name(), children);
  }

  /** A37: whatever the cluster says, the addresses of a name are one endpoint's. */
  private static BalancingPolicy policyOf(ClusterResource cluster) {
    return cluster.source() instanceof ClusterSource.LogicalDns
        ? new BalancingPolicy.PickFirst(false)
        : cluster.policy();
  }

  /**
   * A61: pick_first goes by connections alone, so nothing is detected for it; every other policy
   * lets an ejected endpoint rest (A50-52, decision 0011).
   */
  private static boolean heedsEjections(BalancingPolicy policy) {
    if (policy instanceof BalancingPolicy.WrrLocality wrr) {
      return heedsEjections(wrr.child());
    }
    return !(policy instanceof BalancingPolicy.PickFirst);
  }

  /**
   * @param place the locality that the policy is for, as metrics have it; empty above localities
   */
  private static LbConfig policy(
      BalancingPolicy policy,
      List<LocalityEndpoints> localities,
      int priority,
      FailureNote note,
      String place) {
    if (policy instanceof BalancingPolicy.WrrLocality wrr) {
      return new LbConfig.WeightedTarget(
          localities.stream()
              .map(
                  locality ->
                      new LbConfig.Target(
                          locality.locality().toString(),
                          locality.weight(),
                          policy(
                              wrr.child(),
                              List.of(locality),
                              priority,
                              note,
                              locality.locality().label())))
              .toList());
    }
    if (policy instanceof BalancingPolicy.PickFirst pickFirst) {
      return new LbConfig.PickFirst(weighed(localities, priority), pickFirst.shuffle(), note);
    }
    if (policy instanceof BalancingPolicy.RingHash ringHash) {
      return new LbConfig.RingHash(weighed(localities, priority), ringHash, note);
    }
    if (policy instanceof BalancingPolicy.RoundRobin) {
      return new LbConfig.RoundRobin(unweighed(localities, priority), note);
    }
    if (policy instanceof BalancingPolicy.LeastRequest least) {
      return new LbConfig.LeastRequest(unweighed(localities, priority), least.choices(), note);
    }
    if (policy instanceof BalancingPolicy.WeightedRoundRobin weighted) {
      return new LbConfig.WeightedRoundRobin(
          unweighed(localities, priority), weighted, note, place);
    }
    throw new AssertionError(policy);
  }

  private static List<Backend> unweighed(List<LocalityEndpoints> localities, int priority) {
    int count = localities.stream().mapToInt(locality -> locality.endpoints().size()).sum();
    List<Backend> backends = new ArrayList<>(count);
    for (LocalityEndpoints locality : localities) {
      for (Endpoint endpoint : locality.endpoints()) {
        backends.add(new Backend(endpoint, locality.locality(), 1, priority));
      }
    }
    return backends;
  }

  /** A113 "Computing Endpoint Weights": the locality's share times the endpoint's share of it. */
  private static List<Backend> weighed(List<LocalityEndpoints> localities, int priority) {
    long localitySum = localities.stream().mapToLong(LocalityEndpoints::weight).sum();
    List<Backend> backends = new ArrayList<>();
    for (LocalityEndpoints locality : localities) {
      long localityShare = locality.weight() * ONE / localitySum;
      long sum = locality.endpoints().stream().mapToLong(Endpoint::weight).sum();
      for (Endpoint endpoint : locality.endpoints()) {
        long share = endpoint.weight() * ONE / sum;
        long weight = Math.max(1, localityShare * share / ONE);
        backends.add(new Backend(endpoint, locality.locality(), weight, priority));
      }
    }
    return backends;
  }

  /**
   * A27-08: what is left of {@code localities} when only usable endpoints count. Proxies are left
   * out unless the cluster uses them (A86).
   */
  private static List<LocalityEndpoints> usable(
      ClusterResource cluster, List<LocalityEndpoints> localities) {
    List<LocalityEndpoints> usable = new ArrayList<>();
    for (LocalityEndpoints locality : localities) {
      LocalityEndpoints left = usable(cluster, locality);
      if (!left.endpoints().isEmpty()) {
        usable.add(left);
      }
    }
    return usable;
  }

  /** Itself when all of it is usable as it is: most localities are, and large. */
  private static LocalityEndpoints usable(ClusterResource cluster, LocalityEndpoints locality) {
    boolean same = true;
    for (Endpoint endpoint : locality.endpoints()) {
      same &= endpoint.health().isUsable() && (cluster.httpConnect() || endpoint.isDirect());
    }
    if (same) {
      return locality;
    }
    List<Endpoint> endpoints = new ArrayList<>(locality.endpoints().size());
    for (Endpoint endpoint : locality.endpoints()) {
      if (endpoint.health().isUsable()) {
        endpoints.add(reached(cluster, endpoint));
      }
    }
    return new LocalityEndpoints(locality.locality(), locality.weight(), endpoints);
  }

  private static Endpoint reached(ClusterResource cluster, Endpoint endpoint) {
    return cluster.httpConnect() ? endpoint : endpoint.direct();
  }

  /** The endpoints that {@link #usable} leaves out and whose health is one of {@code which}. */
  private static List<Backend> unusable(ClusterConfig.Leaf leaf, Predicate<HealthStatus> which) {
    List<List<LocalityEndpoints>> priorities =
        leaf.endpoints().toOptional().map(EndpointSet::priorities).orElse(List.of());
    List<Backend> unusable = new ArrayList<>();
    for (int priority = 0; priority < priorities.size(); priority++) {
      for (LocalityEndpoints locality : priorities.get(priority)) {
        for (Endpoint endpoint : locality.endpoints()) {
          if (!endpoint.health().isUsable() && which.test(endpoint.health())) {
            Endpoint reached = reached(leaf.cluster(), endpoint);
            unusable.add(new Backend(reached, locality.locality(), 1, priority));
          }
        }
      }
    }
    return unusable;
  }

  private static String edsServiceName(ClusterSource source) {
    return source instanceof ClusterSource.Eds eds ? eds.serviceName() : "";
  }
}
