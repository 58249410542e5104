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
 * The grammar of the tree: every policy's configuration. Data only; {@code lb.tree} builds it from
 * an XdsConfig and makes the policies. An update with an equal configuration does nothing.
 */
public sealed interface LbConfig {
  /** The policy's name, as status views show it. */
  String policy();

  /** Every endpoint beneath. */
  List<Backend> backends();

  /** How many endpoints are beneath; without a look at any of them. */
  default int size() {
    return backends().size();
  }

  /** Whether {@code other} is equal, found out early when endpoints came or went. */
  default boolean isSameAs(LbConfig other) {
    return this == other || (size() == other.size() && equals(other));
  }

  /**
   * Which policy it is for, see {@code lb.PolicyRegistry}: the class of its settings. A policy gets
   * configurations of one kind only.
   */
  default Class<?> kind() {
    return getClass();
  }

  /** A policy above one other, with the same endpoints. */
  sealed interface Wrapping extends LbConfig {
    LbConfig child();

    @Override
    default List<Backend> backends() {
      return child().backends();
    }

    @Override
    default int size() {
      return child().size();
    }
  }

  /**
   * All children in order of preference; the first that works is used (A56).
   *
   * @param cluster that the priorities belong to, for logs
   */
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

    @Override
    public int size() {
      return children.stream().mapToInt(child -> child.config().size()).sum();
    }
  }

  /**
   * A child of {@link Priority}.
   *
   * @param name stable across updates: the same name keeps its connections
   * @param label its name for people
   * @param reresolves whether it may ask for re-resolution (A37)
   */
  record Child(String name, String label, LbConfig config, boolean reresolves) {}

  /**
   * Watches calls and ejects endpoints (A50); without {@code detection} it is transparent.
   *
   * @param cluster of the endpoints that are watched: of an aggregate, the leaf (A50-53)
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
   * A cluster's drops and its limits of requests in flight and of connections (A27, A32, A105).
   *
   * @param edsServiceName as the cluster names it, else empty
   * @param maxRequests unsigned 32 bit
   * @param maxConnections of each subchannel (A105); unsigned 32 bit, at least 1
   * @param loadReporting empty when its load is not reported
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
   * Sends sessions to the endpoints they name (A75, A55); transparent without sessions.
   *
   * @param statuses the health of endpoints that sessions may reach
   * @param idleTimeout how long a connection is kept that only sessions use
   * @param sessionOnly endpoints that sessions may reach, but that no policy beneath balances
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

    /** Includes the endpoints that only sessions may reach: outlier detection watches them, too. */
    @Override
    public List<Backend> backends() {
      return sessionOnly.isEmpty()
          ? child.backends()
          : joined(List.of(child.backends(), sessionOnly));
    }

    @Override
    public int size() {
      return child.size() + sessionOnly.size();
    }
  }

  /** Children share by weight, among those that are READY (A28); at least one. */
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

    @Override
    public int size() {
      return targets.stream().mapToInt(target -> target.child().size()).sum();
    }
  }

  /**
   * A child of {@link WeightedTarget}.
   *
   * @param locality the child's identity: the same locality keeps its policy and connections
   * @param weight unsigned 32 bit, at least 1
   */
  record Target(Locality locality, long weight, LbConfig child) {}

  /**
   * Balances a random part of the endpoints (A68). {@link #backends} are all of them, in the subset
   * or not: outlier detection and sessions know all.
   *
   * @param subsetSize how many endpoints are in it, at least 1
   * @param child of all endpoints, of which the policy takes those that are in it
   */
  record RandomSubset(long subsetSize, LbConfig child) implements Wrapping {
    @Override
    public String policy() {
      return BalancingPolicy.RandomSubsetting.POLICY;
    }
  }

  /**
   * A policy that picks an endpoint. The class of its settings decides which policy it is.
   *
   * @param weights of localities, for a policy that {@linkplain
   *     BalancingPolicy.EndpointPicking#weighsLocalities weighs} by them (A113)
   * @param note that failures of picks contain
   * @param locality that all endpoints are in, as metrics have it (A78); empty above localities
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

    /** Above localities, which weigh the same if there are several. */
    public Leaf(S settings, List<Backend> backends, FailureNote note) {
      this(settings, backends, LocalityWeights.EQUAL, note, "");
    }

    @Override
    public String policy() {
      return settings.policy();
    }

    /**
     * {@code config} as that of a policy whose settings are of class {@code settings}.
     *
     * @throws ClassCastException if it is another policy's
     */
    public static <S extends BalancingPolicy.EndpointPicking> Leaf<S> of(
        Class<S> settings, LbConfig config) {
      if (!settings.isInstance(((Leaf<?>) config).settings())) {
        throw new ClassCastException("no settings of " + settings.getName() + ": " + config);
      }
      @SuppressWarnings("unchecked") // just checked
      Leaf<S> own = (Leaf<S>) config;
      return own;
    }

    @Override
    public Class<?> kind() {
      return settings.getClass();
    }
  }

  /** A cluster or priority without endpoints: calls fail, except those that wait for readiness. */
  record Failing(RpcStatus status) implements LbConfig {
    @Override
    public String policy() {
      return "failing";
    }

    @Override
    public List<Backend> backends() {
      return List.of();
    }
  }

  /**
   * A cluster that does not exist or is unusable: calls fail, even those that wait, or they would
   * keep the cluster referenced for ever (A31-09).
   */
  record Refusing(RpcStatus status) implements LbConfig {
    @Override
    public String policy() {
      return "refusing";
    }

    @Override
    public List<Backend> backends() {
      return List.of();
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
