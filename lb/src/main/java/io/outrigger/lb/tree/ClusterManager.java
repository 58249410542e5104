package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Connector;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.LbObserver;
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
 * <p>An update goes in three steps: {@link #apply} brings the trees up to date and makes those that
 * are new; the caller publishes a selector with the handles it got; {@link #retire} ends the
 * clusters that the new selector does not lead to. A retired cluster that calls still hold lives
 * until the last of them releases it, and is revived, with its connections, when a route names it
 * again before that (A31-12).
 *
 * <p>Only clusters that routes name, or calls hold, have a tree of their own: a cluster that is
 * merely part of an aggregate is connected when the aggregate needs it (A75-19, decision lb-0005).
 */
@ControlConfined
public final class ClusterManager {
  /** Receives changes between updates; on the control loop. */
  public interface Listener {
    /** The last call released a retired cluster: {@link #live} became smaller. */
    void onClustersChanged();

    /** Fresh addresses are wanted; at most every 30 s. */
    void onReresolution();
  }

  private final ControlLoop control;
  private final Connector connector;
  private final RandomSource random;
  private final Listener listener;
  private final LbObserver observer;
  private final TreeFactory factory;
  private final Reresolution reresolution;
  private final LbConfigCache trees = new LbConfigCache();
  private final Map<String, ClusterLb> live = new TreeMap<>();
  private boolean closed;

  /**
   * A manager without clusters.
   *
   * @param breakers shared by all managers of the process
   * @param loads counts for load reports, shared in the same way
   * @param observer receives, besides the log, the events of all clusters
   * @param loops how many event loops pick; {@code PickContext.loop} is below that
   */
  public ClusterManager(
      ControlLoop control,
      Connector connector,
      RandomSource random,
      CircuitBreakers breakers,
      LoadRegistry loads,
      LbObserver observer,
      int loops,
      Listener listener) {
    this.control = control;
    this.connector = connector;
    this.random = random;
    this.listener = listener;
    this.observer = new LbLog().and(observer);
    this.factory = new TreeFactory(control, random, breakers, loads, this.observer, loops);
    this.reresolution = new Reresolution(control, listener::onReresolution);
  }

  /**
   * Balances the leaves of an aggregate by the policy of the aggregate, as before A75 (A75-05). To
   * be called before the first {@link #apply}.
   */
  public void letAggregatesDecide() {
    trees.letAggregatesDecide();
  }

  /**
   * Adds the priority to the reason of calls that wait (A121). To be called before the first {@link
   * #apply}.
   */
  public ClusterManager namePriorities() {
    factory.namePriorities();
    return this;
  }

  /**
   * Brings every tree up to date; a cluster whose configuration is as before is not touched.
   *
   * @return a handle for each cluster that the routes of {@code config} name; each has a picker
   */
  public Map<String, ClusterHandle> apply(XdsConfig config) {
    control.checkInside();
    trees.replace(config.clusters());
    Set<String> routed = config.routedClusters();
    Set<String> wanted = new LinkedHashSet<>(live.keySet());
    wanted.addAll(routed);
    Map<String, ClusterHandle> handles = new HashMap<>();
    for (String name : wanted) {
      if (!trees.knows(name)) {
        continue; // held by calls and no longer known: it goes on with what it has
      }
      ClusterLb cluster = live.computeIfAbsent(name, this::newCluster);
      cluster.update(trees.tree(name), trees.note(name));
      if (routed.contains(name)) {
        cluster.handle().revive();
        handles.put(name, cluster.handle());
      }
    }
    return handles;
  }

  /**
   * Brings the trees of some clusters up to date while nothing else has changed. They may be
   * clusters that only calls still hold, while there are no routes at all.
   */
  public void update(Map<String, Outcome<ClusterConfig>> changed) {
    control.checkInside();
    for (String name : trees.update(changed)) {
      ClusterLb cluster = live.get(name);
      if (cluster != null) {
        cluster.update(trees.tree(name), trees.note(name));
      }
    }
  }

  /**
   * Ends the clusters that are not in {@code routed}: at once when no call holds them, else with
   * the last release. To be called after the selector without them was published.
   */
  public void retire(Set<String> routed) {
    control.checkInside();
    for (ClusterLb cluster : List.copyOf(live.values())) {
      if (!routed.contains(cluster.handle().name()) && cluster.handle().retire()) {
        end(cluster);
      }
    }
  }

  /** The clusters that have a tree, those included that only calls still hold. */
  public Set<String> live() {
    control.checkInside();
    return Set.copyOf(live.keySet());
  }

  /** Whether a call holds any of the clusters. */
  public boolean isInUse() {
    control.checkInside();
    return live.values().stream().anyMatch(cluster -> cluster.handle().callsInUse() > 0);
  }

  /** The clusters that have a tree, in the order in which {@link #accept} shows them. */
  public Stream<ClusterHandle> handles() {
    control.checkInside();
    return live.values().stream().map(ClusterLb::handle);
  }

  /** Shows every tree as it stands, by name. */
  public void accept(NodeVisitor visitor) {
    control.checkInside();
    live.values().forEach(cluster -> cluster.accept(visitor));
  }

  /** Counts the endpoints of every cluster in the tally that {@code tallies} has for its name. */
  public void count(Function<String, EndpointTally> tallies) {
    control.checkInside();
    live.forEach((name, cluster) -> cluster.count(tallies.apply(name)));
  }

  /** The clusters none of whose endpoints can be reached, by name. */
  public Stream<LbEvent.Outage> outages() {
    control.checkInside();
    return live.values().stream().flatMap(cluster -> cluster.outage().stream());
  }

  /** One tree as it stands; empty when there is no such cluster. */
  public Optional<LbNode> describe(String cluster) {
    control.checkInside();
    return Optional.ofNullable(live.get(cluster)).map(each -> LbNode.of(each::accept).get(0));
  }

  /** Ends every tree; calls that wait in one fail. The listener is not called afterwards. */
  public void close() {
    control.checkInside();
    closed = true;
    reresolution.close();
    for (ClusterLb cluster : List.copyOf(live.values())) {
      end(cluster);
      cluster.refuse();
    }
  }

  private ClusterLb newCluster(String name) {
    return new ClusterLb(
        name,
        control,
        connector,
        random,
        observer,
        factory,
        reresolution,
        handle -> control.execute(() -> onUnused(handle)));
  }

  private void onUnused(ClusterHandle handle) {
    ClusterLb cluster = live.get(handle.name());
    if (closed || cluster == null || cluster.handle() != handle || !handle.isUnused()) {
      return; // ended or revived in the meantime
    }
    end(cluster);
    listener.onClustersChanged();
  }

  private void end(ClusterLb cluster) {
    live.remove(cluster.handle().name());
    cluster.close();
  }
}
