package io.outrigger.lb.tree;

import static java.util.stream.Collectors.toMap;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.endpoint.TransportSettings;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Pure functions that build the configuration of a cluster's tree from its resources (A75).
 *
 * <pre>
 * leaf       outlier_detection( cluster_impl( override_host( priority( one child per priority ))))
 *            where a child is weighted_target( leaf policy per locality ), or the leaf policy,
 *            with random_subsetting above it if the policy of the cluster has random_subsetting
 * aggregate  priority( the trees of the leaf clusters )
 * </pre>
 */
final class ClusterTree {
  private ClusterTree() {}

  /**
   * Builds the tree of a cluster that has its own endpoints.
   *
   * @param names the names of the priorities; used only if there are endpoints
   */
  static LbConfig leaf(ClusterConfig.Leaf leaf, PriorityNames names) {
    ClusterResource cluster = leaf.cluster();
    var note = new FailureNote(cluster.name(), leaf.resolutionNote());
    List<DropCategory> drops =
        leaf.endpoints().toOptional().map(EndpointSet::drops).orElse(List.of());
    List<List<LocalityBackends>> backends =
        leaf.endpoints()
            .toOptional()
            .map(endpoints -> backends(endpoints, cluster.transport()))
            .orElse(List.of());
    LbConfig child =
        leaf.endpoints()
            .match(
                endpoints -> priorities(cluster, endpoints, backends, names, note),
                status -> new LbConfig.Failing(note.unavailable(status.message()), false));
    return new LbConfig.OutlierDetecting(
        cluster.name(),
        cluster.outlierDetection().filter(detection -> cluster.policy().excludesEjected()),
        new LbConfig.ClusterImpl(
            note,
            edsServiceName(cluster.source()),
            drops,
            cluster.limits().maxRequests(),
            cluster.limits().maxConnections(),
            cluster.loadReporting(),
            new LbConfig.OverrideHost(
                cluster.sessions().overrideHostStatus(),
                cluster.sessions().idleTimeout(),
                unusable(backends, backend -> sessionsReach(cluster, backend)),
                unusable(backends, backend -> !sessionsReach(cluster, backend)),
                child)));
  }

  /**
   * Builds the tree of an aggregate. The tree has one layer of priorities (A75-20). Each child is
   * the complete tree of a leaf cluster, with its policy and limits (A75-02, A75-22).
   *
   * @param leaves the usable leaf clusters, in order of preference
   */
  static LbConfig aggregate(ClusterConfig.Aggregate aggregate, List<LbConfig.Child> leaves) {
    String name = aggregate.cluster().name();
    if (leaves.isEmpty()) {
      return new LbConfig.Failing(
          new FailureNote(name, aggregate.resolutionNote())
              .unavailable("none of its clusters is usable"),
          true);
    }
    return new LbConfig.Priority(name, leaves);
  }

  /**
   * Whether requests for re-resolution have an effect. Only the name of a DNS cluster can be
   * resolved again; the control plane pushes the endpoints of an EDS cluster (A37).
   */
  static boolean reresolves(ClusterSource source) {
    return source instanceof ClusterSource.Dns;
  }

  private static List<List<LocalityBackends>> backends(
      EndpointSet endpoints, TransportSettings transport) {
    return IntStream.range(0, endpoints.priorities().size())
        .mapToObj(
            priority ->
                endpoints.priorities().get(priority).stream()
                    .map(locality -> LocalityBackends.of(locality, priority, transport))
                    .toList())
        .toList();
  }

  /** Returns the endpoints that pass the filter and that ordinary requests must not reach. */
  private static List<Backend> unusable(
      List<List<LocalityBackends>> backends, Predicate<Backend> filter) {
    return backends.stream()
        .flatMap(List::stream)
        .flatMap(locality -> locality.unusable().stream())
        .filter(filter)
        .toList();
  }

  private static boolean sessionsReach(ClusterResource cluster, Backend backend) {
    return cluster.sessions().overrideHostStatus().contains(backend.endpoint().health());
  }

  private static LbConfig priorities(
      ClusterResource cluster,
      EndpointSet endpoints,
      List<List<LocalityBackends>> backends,
      PriorityNames names,
      FailureNote note) {
    List<LbConfig.Child> children = new ArrayList<>();
    for (int i = 0; i < backends.size(); i++) {
      List<LocalityBackends> usable =
          backends.get(i).stream().filter(locality -> !locality.usable().isEmpty()).toList();
      // A priority without usable endpoints stays in the tree as a failing child. When the priority
      // gets usable endpoints, it connects without a new failover timer (A56 "Child Connectivity
      // State Tracking").
      children.add(
          new LbConfig.Child(
              names.names().get(i),
              "priority " + i,
              usable.isEmpty()
                  ? noEndpoint(note, endpoints.whyUnusable(endpoints.priorities().get(i)))
                  : policy(cluster.policy(), usable, note, ""),
              reresolves(cluster.source())));
    }
    return children.isEmpty()
        ? noEndpoint(note, endpoints.whyUnusable(List.of()))
        : new LbConfig.Priority(cluster.name(), children);
  }

  private static LbConfig noEndpoint(FailureNote note, String reason) {
    return new LbConfig.Failing(note.unavailable("contains no usable endpoint: " + reason), false);
  }

  /**
   * @param localityLabel the locality that the policy balances, in the form of metric labels; empty
   *     for a policy that balances several localities
   */
  private static LbConfig policy(
      BalancingPolicy policy,
      List<LocalityBackends> localities,
      FailureNote note,
      String localityLabel) {
    if (policy instanceof BalancingPolicy.WrrLocality wrr) {
      return new LbConfig.WeightedTarget(
          localities.stream()
              .map(
                  locality ->
                      new LbConfig.Target(
                          locality.source().locality(),
                          locality.source().weight(),
                          policy(
                              wrr.child(),
                              List.of(locality),
                              note,
                              locality.source().locality().label())))
              .toList());
    }
    if (policy instanceof BalancingPolicy.RandomSubsetting subsetting) {
      return new LbConfig.RandomSubset(
          subsetting.subsetSize(), policy(subsetting.child(), localities, note, localityLabel));
    }
    var settings = (BalancingPolicy.EndpointPicking) policy;
    LocalityWeights weights =
        settings.weighsLocalities() ? weights(localities) : LocalityWeights.EQUAL;
    return new LbConfig.Leaf(settings, flat(localities), weights, note, localityLabel);
  }

  private static List<Backend> flat(List<LocalityBackends> localities) {
    if (localities.size() == 1) {
      return localities.get(0).usable();
    }
    List<Backend> backends = new ArrayList<>();
    localities.forEach(locality -> backends.addAll(locality.usable()));
    return backends;
  }

  private static LocalityWeights weights(List<LocalityBackends> localities) {
    return new LocalityWeights(
        localities.stream()
            .map(LocalityBackends::source)
            .collect(toMap(LocalityEndpoints::locality, LocalityEndpoints::weight)));
  }

  private static String edsServiceName(ClusterSource source) {
    return source instanceof ClusterSource.Eds eds ? eds.serviceName() : "";
  }

  /**
   * A locality whose endpoints are converted to backends, the form that policies use.
   *
   * @param usable the backends that ordinary requests may reach (A27-08)
   */
  private record LocalityBackends(
      LocalityEndpoints source, List<Backend> usable, List<Backend> unusable) {
    /**
     * @param priority the priority of the locality in its cluster, 0 for the highest
     * @param transport the settings for connections, which become part of the backends' addresses
     */
    static LocalityBackends of(
        LocalityEndpoints source, int priority, TransportSettings transport) {
      List<Backend> usable = new ArrayList<>(source.endpoints().size());
      List<Backend> unusable = new ArrayList<>(0);
      for (Endpoint endpoint : source.endpoints()) { // runs for each endpoint, so no stream
        var backend = new Backend(transport.applyTo(endpoint), source.locality(), priority);
        (endpoint.health().isUsable() ? usable : unusable).add(backend);
      }
      return new LocalityBackends(source, usable, unusable);
    }
  }
}
