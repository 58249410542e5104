package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Connector;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The clusters of one target, each with a live tree (A31 "Cluster lifetime").
 *
 * <p>An update has three steps. {@link #apply} updates the existing trees and creates the new
 * trees. The caller publishes a route selector with the returned handles. {@link #retire} ends the
 * clusters that the new selector does not name. A retired cluster stays open until the last call
 * has released its handle of the cluster. If a route names a retired cluster again while the
 * cluster is still open, the cluster is revived with its connections (A31-12).
 *
 * <p>If an update adds several clusters, their trees are built in later turns of the control loop,
 * one tree per turn. A call to a cluster whose tree is not built yet waits, as a call without a
 * connection does. When a call waits, the tree of its cluster is built next, so that the call does
 * not wait for the trees of other clusters (decision lb-0053).
 *
 * <p>A cluster has its own tree only if a route names it or a call holds it. If a cluster is only
 * part of an aggregate, the aggregate's tree connects to it when needed (A75-19, decision lb-0005).
 */
@ControlConfined
public final class ClusterManager {
  /** Receives events that occur between updates of the configuration, on the control loop. */
  public interface Listener {
    /**
     * Called after the last call has released its handle of a retired cluster, and the cluster was
     * removed from {@link #live}.
     */
    default void onClustersChanged() {}

    /** Called when a policy requests a new resolution of addresses (A37). */
    void onReresolution();
  }

  private final ControlLoop control;
  private final LbContext context;
  private final Connector connector;
  private final Listener listener;
  private final PolicyFactory factory;
  private final LbConfigCache trees;
  private final Map<String, ClusterLb> live = new TreeMap<>();

  /** The clusters in {@link #live} whose trees are not built yet. */
  private final Set<ClusterLb> unbuilt = new LinkedHashSet<>();

  /** A field, so that the run that trains a start-up cache always creates this lambda. */
  private final Runnable buildNext = this::buildNext;

  private boolean isBuilding; // whether a turn to come builds the next tree
  private boolean closed;

  /**
   * All managers of the process share the circuit breakers and the registry of loads.
   *
   * @param aggregatesDecide whether the policy of an aggregate replaces the policies of its leaf
   *     clusters, as in gRPC before A75 (A75-05)
   */
  public ClusterManager(
      LbContext context,
      Connector connector,
      CircuitBreakers breakers,
      LoadRegistry loads,
      boolean aggregatesDecide,
      Listener listener) {
    this.control = context.control();
    this.context = context;
    this.trees = new LbConfigCache(aggregatesDecide);
    this.connector = connector;
    this.listener = listener;
    this.factory = new PolicyRegistry(context, breakers, loads);
  }

  /**
   * Updates the trees of all changed clusters, and begins to build the trees that are missing.
   *
   * @return a handle for each cluster that the routes of {@code config} name; each handle has a
   *     picker
   */
  public Map<String, ClusterHandle> apply(XdsConfig config) {
    control.checkInside();
    for (ClusterLb cluster : List.copyOf(unbuilt)) {
      if (!config.clusters().containsKey(cluster.handle().name())) {
        build(cluster); // calls may wait for its tree
      }
    }
    trees.replace(config.clusters());
    Set<String> routed = config.virtualHost().clusters();
    Set<String> wanted = new LinkedHashSet<>(live.keySet());
    wanted.addAll(routed);
    Map<String, ClusterHandle> handles = new HashMap<>();
    for (String name : wanted) {
      if (!trees.knows(name)) {
        continue; // only calls hold the cluster, so its tree stays unchanged
      }
      ClusterLb cluster = live.get(name);
      if (cluster == null) {
        cluster = newCluster(name);
        live.put(name, cluster);
        unbuilt.add(cluster);
      } else if (!unbuilt.contains(cluster)) {
        build(cluster);
      }
      cluster.handle().note(trees.note(name));
      if (routed.contains(name)) {
        cluster.handle().revive();
        handles.put(name, cluster.handle());
      }
    }
    if (unbuilt.size() <= 1) {
      buildAll();
    } else if (!isBuilding) {
      isBuilding = true;
      control.execute(buildNext);
    }
    return handles;
  }

  private void buildNext() {
    isBuilding = !unbuilt.isEmpty();
    if (isBuilding) {
      control.execute(buildNext);
      build(unbuilt.iterator().next());
    }
  }

  private void buildAll() {
    List.copyOf(unbuilt).forEach(this::build);
  }

  /** Builds the tree of a cluster, or updates the tree to the current configuration. */
  private void build(ClusterLb cluster) {
    String name = cluster.handle().name();
    unbuilt.remove(cluster);
    cluster.update(trees.tree(name), trees.note(name));
  }

  /**
   * Updates the changed clusters that have a tree; the rest of the configuration is unchanged.
   * Calls may still hold a changed cluster that no route names any more.
   */
  public void update(Map<String, Outcome<ClusterConfig>> changed) {
    control.checkInside();
    for (String name : trees.update(changed)) {
      ClusterLb cluster = live.get(name);
      if (cluster != null && !unbuilt.contains(cluster)) {
        build(cluster);
      }
    }
  }

  /**
   * Retires the clusters that routes no longer name. A retired cluster is closed immediately if no
   * call holds its handle, otherwise when the last call has released the handle. The caller must
   * first publish a route selector without these clusters.
   */
  public void retire(Set<String> routed) {
    control.checkInside();
    for (ClusterLb cluster : List.copyOf(live.values())) {
      if (!routed.contains(cluster.handle().name()) && cluster.handle().retire()) {
        closeCluster(cluster);
      }
    }
  }

  /** The names of all clusters with a handle, including clusters that only calls still hold. */
  public Set<String> live() {
    control.checkInside();
    return Set.copyOf(live.keySet());
  }

  public boolean isInUse() {
    control.checkInside();
    return live.values().stream().anyMatch(cluster -> cluster.handle().callsInUse() > 0);
  }

  /** The handles of the clusters that have a tree; {@link #accept} visits trees in this order. */
  public Stream<ClusterHandle> handles() {
    return built().values().stream().map(ClusterLb::handle);
  }

  public void accept(NodeVisitor visitor) {
    built().values().forEach(cluster -> cluster.accept(visitor));
  }

  /** Gets a tally for the name of each cluster, and adds the cluster's endpoints to the tally. */
  public void count(Function<String, EndpointTally> tallies) {
    built().forEach((name, cluster) -> cluster.accept(tallies.apply(name)));
  }

  /** The current outages, one for each cluster without a reachable endpoint. */
  public Stream<LbEvent.Outage> outages() {
    control.checkInside();
    return live.values().stream().flatMap(cluster -> cluster.outage().stream());
  }

  public Optional<LbNode> describe(String cluster) {
    return Optional.ofNullable(built().get(cluster)).map(each -> LbNode.of(each::accept).get(0));
  }

  /** Builds the trees that are missing, and returns the live clusters. */
  private Map<String, ClusterLb> built() {
    control.checkInside();
    buildAll();
    return live;
  }

  /** Closes every tree, fails waiting calls, and does not call the listener any more. */
  public void close() {
    control.checkInside();
    closed = true;
    for (ClusterLb cluster : List.copyOf(live.values())) {
      closeCluster(cluster);
      cluster.failCalls();
    }
  }

  private ClusterLb newCluster(String name) {
    return new ClusterLb(
        name,
        context,
        connector,
        factory,
        this::onCallsWaiting,
        listener::onReresolution,
        handle -> control.execute(() -> onUnused(handle)));
  }

  private void onCallsWaiting(ClusterLb cluster) {
    if (unbuilt.contains(cluster)) {
      build(cluster);
    }
  }

  private void onUnused(ClusterHandle handle) {
    ClusterLb cluster = live.get(handle.name());
    if (closed || cluster == null || cluster.handle() != handle || !handle.isUnused()) {
      return; // the cluster was closed or revived meanwhile
    }
    closeCluster(cluster);
    listener.onClustersChanged();
  }

  private void closeCluster(ClusterLb cluster) {
    live.remove(cluster.handle().name());
    unbuilt.remove(cluster);
    cluster.close();
  }
}
