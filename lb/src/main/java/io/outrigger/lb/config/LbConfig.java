package io.outrigger.lb.config;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The configurations of all policies, of which the configuration of a tree is composed.
 * Configurations are plain data; {@code lb.tree} builds them from an XdsConfig and creates the
 * policies. An update with an equal configuration does nothing.
 */
public sealed interface LbConfig {
  /** The policy's name, as status views show it. */
  String policy();

  default List<Backend> backends() {
    return List.of();
  }

  /**
   * The class of the policy's settings, by which {@code lb.PolicyRegistry} selects the policy. A
   * policy receives configurations of one kind only.
   */
  default Class<?> kind() {
    return getClass();
  }

  /** The configuration of a policy with one child, which has the same endpoints. */
  sealed interface Wrapping extends LbConfig {
    LbConfig child();

    @Override
    default List<Backend> backends() {
      return child().backends();
    }
  }

  /** Children in order of preference; calls go to the first child that works (A56). */
  record Priority(String cluster, List<Child> children) implements LbConfig {
    public Priority {
      children = List.copyOf(children);
    }

    @Override
    public String policy() {
      return "priority";
    }

    @Override
    public List<Backend> backends() {
      return joined(children.stream().map(child -> child.config().backends()).toList());
    }
  }

  /**
   * A child of {@link Priority}.
   *
   * @param name identifies the child across updates: a child with an unchanged name keeps its
   *     connections
   * @param label the child's name for people
   * @param reresolves whether the child may request re-resolution (A37)
   */
  record Child(String name, String label, LbConfig config, boolean reresolves) {}

  /**
   * Outlier detection, which counts calls and ejects endpoints (A50); without {@code detection} the
   * node has no effect.
   *
   * @param cluster the cluster of the endpoints; in an aggregate, the leaf cluster (A50-53)
   */
  record OutlierDetecting(String cluster, Optional<OutlierDetection> detection, LbConfig child)
      implements Wrapping {
    public static final String POLICY = "outlier_detection";

    @Override
    public String policy() {
      return POLICY;
    }
  }

  /**
   * A cluster's drops and its limits of calls in flight and of connections (A27, A32, A105).
   *
   * @param edsServiceName the EDS service name of the Cluster resource; empty when it has none
   * @param maxRequests the limit of calls in flight, an unsigned 32-bit number
   * @param maxConnections the limit of connections of each subchannel (A105), an unsigned 32-bit
   *     number, at least 1
   * @param loadReporting empty when the cluster's load is not reported
   */
  record ClusterImpl(
      FailureNote note,
      String edsServiceName,
      List<DropCategory> drops,
      long maxRequests,
      long maxConnections,
      Optional<LoadReporting> loadReporting,
      LbConfig child)
      implements Wrapping {
    public ClusterImpl {
      drops = List.copyOf(drops);
    }

    public String cluster() {
      return note.cluster();
    }

    @Override
    public String policy() {
      return "cluster_impl";
    }
  }

  /**
   * Sends the calls of a session to the endpoints that the session names (A75, A55); without
   * sessions, the node has no effect.
   *
   * @param statuses the health statuses with which sessions may reach an endpoint
   * @param idleTimeout how long a connection that only sessions use is kept
   * @param sessionOnly endpoints that only sessions may reach; policies beneath exclude them
   *     because of their health (A75-44)
   * @param setAside endpoints that no call may reach (A27-08)
   */
  record OverrideHost(
      Set<HealthStatus> statuses,
      Duration idleTimeout,
      List<Backend> sessionOnly,
      List<Backend> setAside,
      LbConfig child)
      implements LbConfig {
    public OverrideHost {
      statuses = Set.copyOf(statuses);
      sessionOnly = List.copyOf(sessionOnly);
      setAside = List.copyOf(setAside);
    }

    @Override
    public String policy() {
      return "override_host";
    }

    /**
     * Returns also the endpoints that only sessions may reach, because outlier detection watches
     * them too.
     */
    @Override
    public List<Backend> backends() {
      return sessionOnly.isEmpty()
          ? child.backends()
          : joined(List.of(child.backends(), sessionOnly));
    }
  }

  /**
   * Children that share calls by weight, among those that are READY (A28); there is at least one
   * child.
   */
  record WeightedTarget(List<Target> targets) implements LbConfig {
    public WeightedTarget {
      targets = List.copyOf(targets);
      if (targets.isEmpty()) {
        throw new IllegalArgumentException("weighted_target without targets");
      }
    }

    @Override
    public String policy() {
      return "weighted_target";
    }

    @Override
    public List<Backend> backends() {
      return joined(targets.stream().map(target -> target.child().backends()).toList());
    }
  }

  /**
   * A child of {@link WeightedTarget}.
   *
   * @param locality identifies the child: a child with an unchanged locality keeps its policy and
   *     connections
   * @param weight an unsigned 32-bit number, at least 1
   */
  record Target(Locality locality, long weight, LbConfig child) {}

  /**
   * Balances calls over a random subset of the endpoints (A68). {@link #backends} returns all
   * endpoints, in the subset or not, because outlier detection and session affinity need all of
   * them.
   *
   * @param subsetSize the number of endpoints in the subset, at least 1
   * @param child the child's configuration with all endpoints; the policy reduces it to the subset
   */
  record RandomSubset(long subsetSize, LbConfig child) implements Wrapping {
    @Override
    public String policy() {
      return BalancingPolicy.RandomSubsetting.POLICY;
    }
  }

  /**
   * The configuration of a policy that picks an endpoint. The class of {@code settings} selects the
   * policy.
   *
   * @param weights the weights of localities, for a policy that {@linkplain
   *     BalancingPolicy.EndpointPicking#weighsLocalities uses} locality weights (A113)
   * @param note the note that is added to failures of picks
   * @param locality the locality of all endpoints, as metrics name it (A78); empty for a policy
   *     that balances several localities
   */
  record Leaf<S extends BalancingPolicy.EndpointPicking>(
      S settings,
      List<Backend> backends,
      LocalityWeights weights,
      FailureNote note,
      String locality)
      implements LbConfig {
    public Leaf {
      backends = List.copyOf(backends);
    }

    @Override
    public String policy() {
      return settings.policy();
    }

    /**
     * Casts {@code config} to the configuration of a policy whose settings are of class {@code
     * settings}.
     *
     * @throws ClassCastException if {@code config} belongs to another policy
     */
    public static <S extends BalancingPolicy.EndpointPicking> Leaf<S> of(
        Class<S> settings, LbConfig config) {
      if (!settings.isInstance(((Leaf<?>) config).settings())) {
        throw new ClassCastException("no settings of " + settings.getName() + ": " + config);
      }
      @SuppressWarnings("unchecked") // the class was checked above
      Leaf<S> own = (Leaf<S>) config;
      return own;
    }

    @Override
    public Class<?> kind() {
      return settings.getClass();
    }
  }

  /**
   * A cluster or priority without endpoints, or a cluster that does not exist or is unusable: calls
   * fail.
   *
   * @param refuses whether "wait for ready" calls fail too, as they do where there is no cluster,
   *     because waiting calls would keep the cluster referenced forever (A31-09)
   */
  record Failing(RpcStatus status, boolean refuses) implements LbConfig {
    @Override
    public String policy() {
      return refuses ? "refusing" : "failing";
    }
  }

  private static List<Backend> joined(List<List<Backend>> lists) {
    if (lists.size() == 1) {
      return lists.get(0);
    }
    List<Backend> joined = new ArrayList<>();
    lists.forEach(joined::addAll);
    return joined;
  }
}
