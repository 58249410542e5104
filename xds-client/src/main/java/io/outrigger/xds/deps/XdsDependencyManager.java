package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.XdsClient;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Watches everything that one target depends on, and publishes it as one value (A74).
 *
 * <p>However many resources change in a turn of the control loop, the graph is walked once, behind
 * them. A walk may want more watches; what these know already is used in the same turn. While
 * anything is unknown nothing is published, and what the published configuration needs stays
 * watched (A74-07).
 */
@ControlConfined
public final class XdsDependencyManager {
  private final ControlLoop loop;
  private final Listener listener;
  private final String listenerName;
  private final DependencyGraph graph;
  private final WatchTable<ListenerResource> listeners;
  private final WatchTable<RouteTable> routes;
  private final WatchTable<ClusterResource> clusters;
  private final WatchTable<EndpointSet> endpoints;
  private final DnsClusters hosts;
  private final DependencyGraph.Lookup lookup = new Watched();

  private Set<String> keep = Set.of();
  private WatchSet inUse = WatchSet.nothing();
  private Optional<Outcome<XdsConfig>> published = Optional.empty();
  private final Map<String, Outcome<ClusterConfig>> publishedClusters = new HashMap<>();
  private Optional<String> waitingFor;
  private final Set<String> changedServices = new HashSet<>();
  private boolean dirty;
  private boolean posted;
  private boolean resolving;
  private boolean closed;

  /** Hears of the target's configuration, on the control loop. */
  @ControlConfined
  public interface Listener {
    /**
     * The configuration to use from now on; never twice the same. Where only clusters differ,
     * {@link #onClusters} is called instead.
     *
     * @param config failed when the target as a whole has none: the listener or its routes failed,
     *     or no virtual host serves the target. The status is UNAVAILABLE and fit for callers
     */
    void onConfig(Outcome<XdsConfig> config);

    /**
     * These clusters have changed and everything else is as it was: of the configuration in use,
     * or, while the target as a whole has none, of the clusters that calls still hold.
     */
    void onClusters(Map<String, Outcome<ClusterConfig>> changed);
  }

  /**
   * @param dataPlaneAuthority by which the virtual host is chosen
   * @param nodeId named in failures that have no other note (A88)
   */
  public XdsDependencyManager(
      ControlLoop loop,
      XdsClient client,
      DnsLookup dns,
      String listenerName,
      String dataPlaneAuthority,
      String nodeId,
      Listener listener) {
    this(
        loop, client, dns, listenerName, dataPlaneAuthority, nodeId, listener, RandomSource.SYSTEM);
  }

  XdsDependencyManager(
      ControlLoop loop,
      XdsClient client,
      DnsLookup dns,
      String listenerName,
      String dataPlaneAuthority,
      String nodeId,
      Listener listener,
      RandomSource random) {
    this.loop = loop;
    this.listener = listener;
    this.listenerName = listenerName;
    this.waitingFor = Optional.of("listener \"" + listenerName + "\"");
    this.graph = new DependencyGraph(listenerName, dataPlaneAuthority, nodeId);
    this.listeners = new WatchTable<>(client, ResourceType.LISTENER, name -> markDirty());
    this.routes = new WatchTable<>(client, ResourceType.ROUTE, name -> markDirty());
    this.clusters = new WatchTable<>(client, ResourceType.CLUSTER, name -> markDirty());
    this.endpoints = new WatchTable<>(client, ResourceType.ENDPOINT, this::onEndpointsChanged);
    this.hosts = new DnsClusters(loop, dns, random, this::markDirty);
  }

  /** Begins to watch; the listener is called later, never from within. */
  public void start() {
    loop.checkInside();
    listeners.start(Set.of(listenerName));
  }

  /**
   * Names the clusters that calls still hold. They stay watched and part of the configuration even
   * when no route names them any more (A31-06), until a later call leaves them out (A31-07).
   */
  public void keep(Set<String> names) {
    loop.checkInside();
    if (!keep.equals(names)) {
      keep = Set.copyOf(names);
      markDirty();
    }
  }

  /** Resolves the DNS names of all clusters again, not more often than every 30 s (A37, A74). */
  public void requestReresolution() {
    loop.checkInside();
    hosts.requestReresolution();
  }

  /** One of the things that hold the next configuration back, such as {@code cluster "pay"}. */
  public Optional<String> waitingFor() {
    loop.checkInside();
    return waitingFor;
  }

  /** Ends all watches; the listener is not called again. */
  public void close() {
    loop.checkInside();
    closed = true;
    listeners.retain(Set.of(), Set.of());
    retain(WatchSet.nothing(), WatchSet.nothing());
  }

  private void onEndpointsChanged(String service) {
    if (resolving || waitingFor.isPresent()) {
      markDirty();
    } else {
      changedServices.add(service);
      recomputeLater();
    }
  }

  private void markDirty() {
    dirty = true;
    if (!resolving) {
      recomputeLater();
    }
  }

  private void recomputeLater() {
    if (!posted && !closed) {
      posted = true;
      loop.execute(this::recompute);
    }
  }

  private void recompute() {
    posted = false;
    if (closed || (!dirty && updateEndpoints())) {
      return;
    }
    changedServices.clear();
    DependencyGraph.Resolution resolution = resolve();
    waitingFor = resolution.waitingFor();
    if (resolution instanceof DependencyGraph.Resolution.Complete complete) {
      inUse = complete.wanted();
      publish(complete);
    }
    // The listener may have asked to keep what would be let go now: then the next turn decides.
    if (!dirty && !closed) {
      retain(resolution.wanted(), inUse);
    }
  }

  /** Proportional to what changed. Returns false if the graph must be walked instead. */
  private boolean updateEndpoints() {
    Optional<Map<String, Outcome<ClusterConfig>>> changed = graph.update(lookup, changedServices);
    if (changed.isEmpty()) {
      return false;
    }
    changedServices.clear();
    publishClusters(changed.get());
    return true;
  }

  /** Walks until no new watch has told anything at once. */
  private DependencyGraph.Resolution resolve() {
    resolving = true;
    try {
      DependencyGraph.Resolution resolution;
      do {
        dirty = false;
        resolution = graph.resolve(lookup, keep);
        start(resolution.wanted());
      } while (dirty);
      return resolution;
    } finally {
      resolving = false;
    }
  }

  private void publish(DependencyGraph.Resolution.Complete complete) {
    Map<String, Outcome<ClusterConfig>> next = complete.clusters();
    Map<String, Outcome<ClusterConfig>> changed = new HashMap<>();
    next.forEach(
        (name, cluster) -> {
          if (!cluster.equals(publishedClusters.get(name))) {
            changed.put(name, cluster);
          }
        });
    boolean isOther =
        published.isEmpty()
            || !sameBesideClusters(published.get(), complete.config())
            || (complete.config().isOk() && !publishedClusters.keySet().equals(next.keySet()));
    publishedClusters.keySet().retainAll(next.keySet());
    if (isOther) {
      publishedClusters.putAll(next);
      published = Optional.of(complete.config());
      listener.onConfig(complete.config());
    }
    if (!isOther || !complete.config().isOk()) {
      publishClusters(changed);
    }
  }

  private void publishClusters(Map<String, Outcome<ClusterConfig>> changed) {
    if (!changed.isEmpty() && !closed) {
      publishedClusters.putAll(changed);
      listener.onClusters(Map.copyOf(changed));
    }
  }

  private static boolean sameBesideClusters(Outcome<XdsConfig> a, Outcome<XdsConfig> b) {
    if (a instanceof Outcome.Ok<XdsConfig> before && b instanceof Outcome.Ok<XdsConfig> after) {
      return before.value().listener().equals(after.value().listener())
          && before.value().routes().equals(after.value().routes())
          && before.value().virtualHost().equals(after.value().virtualHost());
    }
    return a.status().equals(b.status()); // that of a failure is never OK
  }

  private void start(WatchSet wanted) {
    routes.start(wanted.routes());
    clusters.start(wanted.clusters());
    endpoints.start(wanted.endpoints());
    hosts.start(wanted.hosts());
  }

  private void retain(WatchSet wanted, WatchSet also) {
    routes.retain(wanted.routes(), also.routes());
    clusters.retain(wanted.clusters(), also.clusters());
    endpoints.retain(wanted.endpoints(), also.endpoints());
    hosts.retain(wanted.hosts(), also.hosts());
  }

  /** What the watches know. */
  private final class Watched implements DependencyGraph.Lookup {
    @Override
    public WatchState<ListenerResource> listener() {
      return listeners.get(listenerName);
    }

    @Override
    public WatchState<RouteTable> routes(String name) {
      return routes.get(name);
    }

    @Override
    public WatchState<ClusterResource> cluster(String name) {
      return clusters.get(name);
    }

    @Override
    public WatchState<EndpointSet> endpoints(String serviceName) {
      return endpoints.get(serviceName);
    }

    @Override
    public WatchState<EndpointSet> host(ClusterSource.Dns host) {
      return hosts.get(host);
    }
  }
}
