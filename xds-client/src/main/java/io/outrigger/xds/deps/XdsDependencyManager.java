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
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Watches all resources on which one target depends, and publishes them as one configuration (A74).
 * Changes that arrive together cause one walk of the graph. While a resource is unresolved, no new
 * configuration is published, and the resources of the last configuration stay watched (A74-07).
 */
@ControlConfined
public final class XdsDependencyManager {
  private final ControlLoop loop;
  private final DnsLookup dns;
  private final RandomSource random;
  private final Listener listener;
  private final String listenerName;
  private final DependencyGraph graph;
  private final WatchTable<String, ListenerResource> listeners;
  private final WatchTable<String, RouteTable> routes;
  private final WatchTable<String, ClusterResource> clusters;
  private final WatchTable<String, EndpointSet> endpoints;
  private final WatchTable<ClusterSource.Dns, EndpointSet> hosts;
  private final List<WatchTable<?, ?>> tables; // all tables but the listener's
  private final Set<DnsName> dnsNames = new HashSet<>(); // of hosts in use
  private Duration refresh = Duration.ZERO;

  private Set<String> keep = Set.of();
  private Optional<Outcome<XdsConfig>> published = Optional.empty();
  private final Map<String, Outcome<ClusterConfig>> publishedClusters = new HashMap<>();
  private Optional<String> waitingFor;
  private final Set<String> changedServices = new HashSet<>();
  private boolean dirty;
  private boolean posted;
  private boolean resolving;
  private boolean closed;

  @ControlConfined
  public interface Listener {
    /**
     * Called when the configuration has changed. When only clusters have changed, {@link
     * #onClusters} is called instead of this method.
     *
     * @param config the configuration, or the failure of the target (the listener or its routes
     *     failed, or no virtual host serves the target). The status of the failure is UNAVAILABLE,
     *     and callers may receive the status
     */
    void onConfig(Outcome<XdsConfig> config);

    /**
     * Called when only clusters have changed.
     *
     * @param changed the changed clusters of the configuration; if the target has failed, the
     *     changed clusters that calls still use
     */
    void onClusters(Map<String, Outcome<ClusterConfig>> changed);
  }

  /**
   * @param dataPlaneAuthority the authority that selects the virtual host
   * @param nodeId the xDS node ID, which is added to a failure if there are no ambient errors (A88)
   */
  public XdsDependencyManager(
      ControlLoop loop,
      XdsClient client,
      DnsLookup dns,
      String listenerName,
      String dataPlaneAuthority,
      String nodeId,
      Listener listener,
      RandomSource random) {
    this.loop = loop;
    this.dns = dns;
    this.random = random;
    this.listener = listener;
    this.listenerName = listenerName;
    this.waitingFor = Optional.of("listener \"" + listenerName + "\"");
    this.listeners = WatchTable.of(client, ResourceType.LISTENER, name -> markDirty());
    this.routes = WatchTable.of(client, ResourceType.ROUTE, name -> markDirty());
    this.clusters = WatchTable.of(client, ResourceType.CLUSTER, name -> markDirty());
    this.endpoints = WatchTable.of(client, ResourceType.ENDPOINT, this::onEndpointsChanged);
    this.hosts = new WatchTable<>(this::resolve, name -> markDirty());
    this.tables = List.of(routes, clusters, endpoints, hosts);
    var lookup =
        new DependencyGraph.Lookup(
            () -> listeners.get(listenerName),
            routes::want,
            clusters::want,
            endpoints::want,
            hosts::want);
    this.graph = new DependencyGraph(listenerName, dataPlaneAuthority, nodeId, lookup);
  }

  /**
   * Sets the interval of periodic DNS lookups; zero disables these lookups. Must be called before
   * {@link #start}.
   */
  public XdsDependencyManager refreshNames(Duration interval) {
    refresh = interval;
    return this;
  }

  /** Keeps a DNS name resolved (A37). Clusters with the same DNS name share one resolution. */
  private XdsClient.Watch resolve(ClusterSource.Dns name, ResourceWatcher<EndpointSet> watcher) {
    var resolved = new DnsName(loop, dns, random, refresh, name, watcher);
    dnsNames.add(resolved);
    resolved.start();
    return () -> {
      dnsNames.remove(resolved);
      resolved.close();
    };
  }

  /** Starts the watches; the listener is called only after this method has returned. */
  public void start() {
    loop.checkInside();
    listeners.start(Set.of(listenerName));
  }

  /**
   * Sets the names of the clusters that calls still use. A cluster that calls still use stays
   * watched and part of the configuration, even when no route names it (A31-06). The cluster is
   * released when a later call of this method omits it (A31-07).
   */
  public void keep(Set<String> names) {
    loop.checkInside();
    if (!keep.equals(names)) {
      keep = Set.copyOf(names);
      markDirty();
    }
  }

  /** Resolves the DNS names of all clusters again, each at most every 30 s (A37, A74). */
  public void requestReresolution() {
    loop.checkInside();
    dnsNames.forEach(DnsName::requestReresolution);
  }

  /** Returns an unresolved resource, such as {@code cluster "pay"}, that delays a configuration. */
  public Optional<String> waitingFor() {
    loop.checkInside();
    return waitingFor;
  }

  public void close() {
    loop.checkInside();
    closed = true;
    listeners.retain(Set.of());
    tables.forEach(table -> table.retain(Set.of()));
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
      tables.forEach(WatchTable::useWanted);
      publish(complete);
    }
    // If a listener has called keep(), the next walk of the graph ends the unneeded watches.
    if (!dirty && !closed) {
      for (WatchTable<?, ?> table : tables) {
        if (table.retainWanted()) {
          markDirty(); // old resources have made room for new ones
        }
      }
    }
  }

  /**
   * Updates the clusters whose endpoints have changed, unless the graph must be walked.
   *
   * @return whether the clusters were updated
   */
  private boolean updateEndpoints() {
    Optional<Map<String, Outcome<ClusterConfig>>> changed = graph.update(changedServices);
    if (changed.isEmpty()) {
      return false;
    }
    changedServices.clear();
    publishClusters(changed.get());
    return true;
  }

  /** Walks the graph, and repeats the walk while new watches deliver cached resources. */
  private DependencyGraph.Resolution resolve() {
    resolving = true;
    try {
      DependencyGraph.Resolution resolution;
      do {
        dirty = false;
        tables.forEach(WatchTable::beginWalk);
        resolution = graph.resolve(keep);
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
    boolean isNewConfig =
        published.isEmpty()
            || !equalExceptClusters(published.get(), complete.config())
            || (complete.config().isOk() && !publishedClusters.keySet().equals(next.keySet()));
    publishedClusters.keySet().retainAll(next.keySet());
    if (isNewConfig) {
      publishedClusters.putAll(next);
      published = Optional.of(complete.config());
      listener.onConfig(complete.config());
    }
    if (!isNewConfig || !complete.config().isOk()) {
      publishClusters(changed);
    }
  }

  private void publishClusters(Map<String, Outcome<ClusterConfig>> changed) {
    if (!changed.isEmpty() && !closed) {
      publishedClusters.putAll(changed);
      listener.onClusters(Map.copyOf(changed));
    }
  }

  private static boolean equalExceptClusters(Outcome<XdsConfig> a, Outcome<XdsConfig> b) {
    if (a instanceof Outcome.Ok<XdsConfig> before && b instanceof Outcome.Ok<XdsConfig> after) {
      return Objects.equals(before.value().listener(), after.value().listener())
          && Objects.equals(before.value().routes(), after.value().routes())
          && Objects.equals(before.value().virtualHost(), after.value().virtualHost());
    }
    return a.status().equals(b.status()); // the status of a failure is never OK
  }
}
