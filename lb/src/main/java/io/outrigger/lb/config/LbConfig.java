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
 * The configuration of a policy, including the configurations of its child policies. Configurations
 * are immutable; {@code lb.tree} builds configurations from an XdsConfig and creates the policies.
 * An update with an equal configuration does nothing.
 */
public sealed interface LbConfig {
  String policy();

  default List<Backend> backends() {
    return List.of();
  }

  /**
   * The kind of the policy. A policy receives only configurations of one kind: a configuration of
   * another kind needs a new policy.
   */
  default Class<?> kind() {
    return getClass();
  }

  /** The configuration of a policy that has a single child policy, and the child's endpoints. */
  sealed interface Wrapping extends LbConfig {
    LbConfig child();

    @Override
    default List<Backend> backends() {
      return child().backends();
    }
  }

  /** Child policies in order of preference; calls go to the first child that works (A56). */
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
   * One child of a {@link Priority}.
   *
   * @param name the identity of the child across updates; a child with an unchanged name keeps its
   *     connections
   * @param label the child's name in messages and status views
   * @param reresolves whether the child may request re-resolution (A37)
   */
  record Child(String name, String label, LbConfig config, boolean reresolves) {}

  /**
   * Counts calls and ejects endpoints (A50); does neither if {@code detection} is empty.
   *
   * @param cluster the cluster of the endpoints, which is the leaf cluster in an aggregate (A50-53)
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
   * Drops calls of a cluster, and limits its calls in flight and its connections (A27, A32, A105).
   *
   * @param edsServiceName the EDS service name of the Cluster resource; may be empty
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
   * Sends the calls of a session to the endpoints that the session names (A75, A55). Before the
   * first session, an override_host node has no effect.
   *
   * @param statuses the health statuses of the endpoints that sessions may reach
   * @param idleTimeout the time for which an unused connection is kept for sessions
   * @param sessionOnly the endpoints that only sessions may reach, because of their health; the
   *     policies below exclude them (A75-44)
   * @param unreachable the endpoints that no call may reach (A27-08)
   */
  record OverrideHost(
      Set<HealthStatus> statuses,
      Duration idleTimeout,
      List<Backend> sessionOnly,
      List<Backend> unreachable,
      LbConfig child)
      implements LbConfig {
    public OverrideHost {
      statuses = Set.copyOf(statuses);
      sessionOnly = List.copyOf(sessionOnly);
      unreachable = List.copyOf(unreachable);
    }

    @Override
    public String policy() {
      return "override_host";
    }

    /** Includes {@link #sessionOnly}, because outlier detection also observes these endpoints. */
    @Override
    public List<Backend> backends() {
      return sessionOnly.isEmpty()
          ? child.backends()
          : joined(List.of(child.backends(), sessionOnly));
    }
  }

  /**
   * Shares calls by weight among the child policies that are READY (A28). A {@code WeightedTarget}
   * has at least one child.
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
   * One child of a {@link WeightedTarget}.
   *
   * @param locality the identity of the child across updates; a child with an unchanged locality
   *     keeps its policy and connections
   * @param weight an unsigned 32-bit number, at least 1
   */
  record Target(Locality locality, long weight, LbConfig child) {}

  /**
   * Balances calls over a random subset of the endpoints (A68). {@link #backends} also returns the
   * endpoints outside the subset, because outlier detection and session affinity need all
   * endpoints.
   *
   * @param subsetSize the number of endpoints in the subset, at least 1
   * @param child the child's configuration with all endpoints; the child policy gets a subset
   */
  record RandomSubset(long subsetSize, LbConfig child) implements Wrapping {
    @Override
    public String policy() {
      return BalancingPolicy.RandomSubsetting.POLICY;
    }
  }

  /**
   * The configuration of a policy that picks an endpoint. The class of the settings object selects
   * the policy.
   *
   * @param weights the weights of localities (A113), used only if {@link
   *     BalancingPolicy.EndpointPicking#weighsLocalities} is true
   * @param note cluster name and resolution note, added to the message of every failed pick
   * @param locality the locality of all endpoints, written as a metric label (A78); empty for a
   *     policy that balances several localities
   */
  record Leaf(
      BalancingPolicy.EndpointPicking settings,
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

    @Override
    public Class<?> kind() {
      return settings.getClass();
    }
  }

  /**
   * Fails all calls, because the cluster or priority has no endpoints, or because the cluster does
   * not exist or is unusable. If the cluster exists, a "wait for ready" call waits instead of
   * failing. If the cluster does not exist, a "wait for ready" call fails too: a waiting call would
   * keep a reference to the cluster forever (A31-09).
   *
   * @param status the status of failed calls, with {@code isAbsence} true if the cluster does not
   *     exist
   * @param isOfConfig whether the cluster itself does not exist or is unusable
   */
  record Failing(RpcStatus status, boolean isOfConfig) implements LbConfig {
    @Override
    public String policy() {
      return status.isAbsence() ? "refusing" : "failing";
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
