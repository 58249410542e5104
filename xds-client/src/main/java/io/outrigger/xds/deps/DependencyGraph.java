package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.xds.ResourceType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Walks from a listener to all its dependencies (A74). The dependencies are the listener's routes,
 * the clusters of the target's virtual host, and the endpoints of these clusters. A walk of the
 * graph ends with the configuration, the failure of the target, or the name of an unresolved
 * resource. A mere change of endpoints, by far the most frequent change, needs no walk.
 */
@ControlConfined
final class DependencyGraph {
  private static final String OF_A_SERVER =
      "is for a server: it has filter chains, and a client needs an api_listener; put the"
          + " HttpConnectionManager of a filter chain into {\"api_listener\":{\"api_listener\":"
          + "{\"@type\":\"type.googleapis.com/envoy.extensions.filters.network."
          + "http_connection_manager.v3.HttpConnectionManager\",…}}}";

  private final String listenerName;
  private final String authority;
  private final Lookup lookup;
  private ResolutionNotes notes;
  private @Nullable HostChoice lastChoice;
  private Map<String, List<String>> clustersByService = Map.of();
  private Map<String, Outcome<ClusterConfig>> results = Map.of(); // of the last complete walk
  private Set<String> kept = Set.of(); // clusters with the result of an earlier walk

  DependencyGraph(String listenerName, String authority, String nodeId, Lookup lookup) {
    this.listenerName = listenerName;
    this.authority = authority;
    this.lookup = lookup;
    this.notes = new ResolutionNotes(nodeId, RpcStatus.OK, RpcStatus.OK);
  }

  /**
   * Functions that return the states of resources while the graph is walked. Each function must
   * also start a watch of the requested resource.
   */
  record Lookup(
      Supplier<WatchState<ListenerResource>> listener,
      Function<String, WatchState<RouteTable>> routes,
      Function<String, WatchState<ClusterResource>> clusters,
      Function<String, WatchState<EndpointSet>> endpoints,
      Function<ClusterSource.Dns, WatchState<EndpointSet>> hosts) {}

  sealed interface Resolution {
    default Optional<String> waitingFor() {
      return this instanceof Waiting waiting ? Optional.of(waiting.resource()) : Optional.empty();
    }

    /** A needed resource, such as {@code cluster "pay"}, has neither a value nor an error yet. */
    record Waiting(String resource) implements Resolution {}

    /**
     * A complete configuration, or the failure of the whole target. The failure's status may be
     * passed to callers.
     *
     * @param clusters the clusters of the configuration; after a failure, the known clusters that
     *     calls still use
     */
    record Complete(Outcome<XdsConfig> config, Map<String, Outcome<ClusterConfig>> clusters)
        implements Resolution {
      public Complete {
        clusters = Map.copyOf(clusters);
      }
    }
  }

  /** The virtual host of the target in a route table, and the clusters of its routes. */
  private record HostChoice(RouteTable table, Optional<VirtualHost> host, Set<String> clusters) {}

  /**
   * Walks the graph.
   *
   * @param keep the clusters that calls still use; they stay in the result even if no route names
   *     them (A31-06)
   */
  Resolution resolve(Set<String> keep) {
    WatchState<ListenerResource> listener = lookup.listener().get();
    WatchState<RouteTable> routes =
        listener.value().map(this::routesOf).orElseGet(WatchState::unresolved);
    notes = new ResolutionNotes(notes.nodeId(), listener.ambient(), routes.ambient());
    Optional<HostChoice> choice = routes.value().map(this::choose);

    var walk = new ClusterWalk(lookup, notes, results);
    choice.ifPresent(chosen -> chosen.clusters().forEach(walk::visit));
    walk.visitHeld(keep);
    Resolution resolution = conclude(listener, routes, choice, walk);
    if (resolution instanceof Resolution.Complete) {
      clustersByService = walk.byService;
      results = walk.clusters;
      kept = walk.kept;
    }
    return resolution;
  }

  /**
   * Computes new results of clusters without a walk. The last walk must have been complete, and
   * nothing but endpoints of {@code services} may have changed since then.
   *
   * @return the changed results, or empty if the graph must be walked
   */
  Optional<Map<String, Outcome<ClusterConfig>>> update(Set<String> services) {
    Map<String, Outcome<ClusterConfig>> changed = new HashMap<>();
    for (String service : services) {
      WatchState<EndpointSet> endpoints = lookup.endpoints().apply(service);
      if (endpoints.isUnresolved()) {
        return Optional.empty();
      }
      for (String name : clustersByService.getOrDefault(service, List.of())) {
        WatchState<ClusterResource> cluster = lookup.clusters().apply(name);
        Outcome<ClusterConfig> before = results.get(name);
        if (before == null || kept.contains(name)) {
          return Optional.empty(); // the endpoints were unresolved in the last walk
        }
        Outcome<ClusterConfig> after =
            ClusterWalk.leaf(cluster.value().orElseThrow(), cluster, endpoints, notes);
        if (!after.equals(before)) {
          results.put(name, after);
          changed.put(name, after);
        }
      }
    }
    return Optional.of(changed);
  }

  private Resolution conclude(
      WatchState<ListenerResource> listener,
      WatchState<RouteTable> routes,
      Optional<HostChoice> choice,
      ClusterWalk walk) {
    if (listener.isUnresolved()) {
      return new Resolution.Waiting("listener \"" + listenerName + "\"");
    }
    if (listener.value().isEmpty()) {
      return failed(
          walk, ResolutionNotes.describe(ResourceType.LISTENER, listenerName, listener.error()));
    }
    if (!(listener.value().get() instanceof ApiListener api)) {
      return failed(walk, "listener \"" + listenerName + "\" " + OF_A_SERVER); // A74-06
    }
    if (routes.isUnresolved()) {
      return new Resolution.Waiting("route configuration \"" + rdsName(api) + "\"");
    }
    if (choice.isEmpty()) {
      return failed(
          walk,
          ResolutionNotes.describe(ResourceType.ROUTE, rdsName(api), routes.error())); // A74-02
    }
    if (choice.get().host().isEmpty()) {
      return failed(
          walk,
          "route configuration \"%s\" has no virtual host for \"%s\"" // A74-05
              .formatted(choice.get().table().name(), authority));
    }
    if (!walk.unresolved.isEmpty()) {
      return new Resolution.Waiting(walk.unresolved.get(0)); // A74-01
    }
    var config = new XdsConfig(api, choice.get().table(), choice.get().host().get(), walk.clusters);
    return new Resolution.Complete(Outcome.ok(config), config.clusters());
  }

  /** Returns the failure of the target, and the clusters that calls still use (A31-06). */
  private Resolution failed(ClusterWalk walk, String reason) {
    return new Resolution.Complete(Outcome.failed(notes.failure(reason)), walk.clusters);
  }

  private WatchState<RouteTable> routesOf(ListenerResource listener) {
    return listener instanceof ApiListener api
        ? api.routes().match(table -> WatchState.of(Outcome.ok(table)), lookup.routes())
        : WatchState.unresolved();
  }

  private static String rdsName(ApiListener listener) {
    return listener.routes().match(RouteTable::name, name -> name);
  }

  @SuppressWarnings("ReferenceEquality") // an unchanged resource stays the same object
  private HostChoice choose(RouteTable table) {
    HostChoice last = lastChoice;
    if (last == null || last.table() != table) {
      Optional<VirtualHost> host = table.virtualHostFor(authority);
      last = new HostChoice(table, host, host.map(VirtualHost::clusters).orElse(Set.of()));
      lastChoice = last;
    }
    return last;
  }
}
