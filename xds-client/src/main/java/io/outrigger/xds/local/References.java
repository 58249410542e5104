package io.outrigger.xds.local;

import static java.util.Objects.requireNonNull;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.PathMatcher;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.route.WireText;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.FieldError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks the references between resources. The decoder has already checked each resource by itself.
 * This class checks whether the referenced resources exist, and whether calls can succeed. A
 * finding is an error if a listener leads to the resource and no alternative exists; otherwise the
 * finding is a warning.
 *
 * <p>Each instance is used once, by one thread.
 */
final class References {
  /** Receives the findings. */
  interface Report {
    /** Reports a finding about one field of a resource. */
    void add(boolean isError, NamedResource of, FieldError finding);
  }

  /** A valid resource and its value. */
  private record Valid<T>(NamedResource resource, T value) {}

  private final Report report;
  private final Map<ResourceType<?>, Set<String>> defined = new HashMap<>();
  private final Map<String, Valid<ListenerResource>> listeners = new LinkedHashMap<>();
  private final Map<String, Valid<RouteTable>> tables = new LinkedHashMap<>();
  private final Map<String, Valid<ClusterResource>> clusters = new LinkedHashMap<>();
  private final Map<String, Valid<EndpointSet>> endpoints = new LinkedHashMap<>();
  private final Map<String, Boolean> reached = new LinkedHashMap<>(); // true: findings are errors

  References(Report report) {
    this.report = report;
  }

  /** Records a resource of the files, which may be invalid. */
  void define(NamedResource resource) {
    defined.computeIfAbsent(resource.type(), type -> new HashSet<>()).add(resource.name());
  }

  /** Records the value of a valid resource. */
  void add(NamedResource resource, Object value) {
    if (value instanceof ListenerResource listener) {
      listeners.putIfAbsent(resource.name(), new Valid<>(resource, listener));
    } else if (value instanceof RouteTable table) {
      tables.putIfAbsent(resource.name(), new Valid<>(resource, table));
    } else if (value instanceof ClusterResource cluster) {
      clusters.putIfAbsent(resource.name(), new Valid<>(resource, cluster));
    } else if (value instanceof EndpointSet set) {
      endpoints.putIfAbsent(resource.name(), new Valid<>(resource, set));
    }
  }

  /** Reports each missing resource and each resource that cannot work. */
  void check() {
    Set<String> named = new HashSet<>();
    for (Valid<ListenerResource> listener : listeners.values()) {
      if (listener.value() instanceof ApiListener api) {
        var path = new Place("", List.of()).at("api_listener").at("api_listener");
        routes(true, listener.resource(), path, api.routes(), named);
      } else if (listener.value() instanceof SocketListener socket) {
        chains(listener.resource(), socket);
      }
    }
    tables.forEach(
        (name, table) ->
            table(named.contains(name), table.resource(), new Place("", List.of()), table.value()));
    clusters.keySet().forEach(name -> reach(name, false));
    reached.forEach(this::cluster);
  }

  /**
   * Checks the routes of a connection manager.
   *
   * @param isClients whether the routes lead to clusters, so that findings about them are errors
   * @param named gets the name of the route configuration
   */
  private void routes(
      boolean isClients, NamedResource of, Place path, RouteSource routes, Set<String> named) {
    if (routes instanceof RouteSource.Inline inline) {
      table(isClients, of, path.at("route_config"), inline.table());
    } else if (routes instanceof RouteSource.Rds rds) {
      named.add(rds.name());
      if (!isDefined(ResourceType.ROUTE, rds.name())) {
        report.add(
            true,
            of,
            path.at("rds").at("route_config_name").missing("route configuration", rds.name()));
      }
    }
  }

  private void chains(NamedResource of, SocketListener listener) {
    var top = new Place("", List.of());
    for (int i = 0; i < listener.chains().size(); i++) {
      Place path = top.at("filter_chains", i).at("filters");
      routes(false, of, path, listener.chains().get(i).routes(), new HashSet<>());
    }
    listener
        .defaultChain()
        .ifPresent(
            chain ->
                routes(
                    false,
                    of,
                    top.at("default_filter_chain").at("filters"),
                    chain.routes(),
                    new HashSet<>()));
  }

  private boolean isDefined(ResourceType<?> type, String name) {
    return defined.getOrDefault(type, Set.of()).contains(name);
  }

  private void table(boolean isReached, NamedResource of, Place place, RouteTable table) {
    Set<String> domains = new HashSet<>();
    for (int h = 0; h < table.virtualHosts().size(); h++) {
      VirtualHost host = table.virtualHosts().get(h);
      Place here = place.at("virtual_hosts", h);
      for (int d = 0; d < host.domains().size(); d++) {
        String domain = host.domains().get(d);
        if (!domains.add(domain.toLowerCase(Locale.ROOT))) {
          report.add(
              isReached,
              of,
              here.at("domains", d)
                  .says(
                      "\"%s\" is a domain of this table already, and the first virtual host has it;"
                          + " remove one of them",
                      domain));
        }
      }
      host.routes().forEach(route -> route(isReached, of, here.at("routes", route.index()), route));
    }
  }

  private void route(boolean isReached, NamedResource of, Place place, Route route) {
    PathMatcher path = route.match().path();
    if (path instanceof PathMatcher.Prefix prefix && isWithoutSlash(prefix.prefix())) {
      report.add(false, of, place.at("match").at("prefix").slash(prefix.prefix()));
    } else if (path instanceof PathMatcher.Exact exact && isWithoutSlash(exact.path())) {
      report.add(false, of, place.at("match").at("path").slash(exact.path()));
    }
    if (route.action() instanceof RouteAction.Forward forward) {
      names(forward.clusters())
          .forEach(
              name -> {
                if (!isDefined(ResourceType.CLUSTER, name)) {
                  report.add(isReached, of, place.at("route").missing("cluster", name));
                } else if (isReached) {
                  reach(name, true);
                }
              });
    }
  }

  /** Whether a path matches no request, because the path does not begin with a slash. */
  private static boolean isWithoutSlash(String path) {
    return !path.isEmpty() && path.charAt(0) != '/';
  }

  private static List<String> names(ClusterChoice choice) {
    return choice instanceof ClusterChoice.Weighted weighted
        ? weighted.clusters().stream().map(ClusterChoice.WeightedCluster::cluster).toList()
        : List.of(((ClusterChoice.Single) choice).cluster());
  }

  /**
   * Records that calls reach a cluster. The calls of an aggregate cluster also reach its leaves.
   */
  private void reach(String name, boolean isError) {
    Valid<ClusterResource> cluster = clusters.get(name);
    if (cluster == null
        || reached.getOrDefault(name, false)
        || (reached.containsKey(name) && !isError)) {
      return;
    }
    reached.put(name, isError);
    if (cluster.value().source() instanceof ClusterSource.Aggregate aggregate) {
      boolean isHopeless = isError && !canWork(name, new HashSet<>());
      aggregate.clusters().forEach(leaf -> reach(leaf, isHopeless));
    }
  }

  /**
   * Whether a call of the cluster could succeed. An invalid cluster counts as usable here, because
   * its errors are reported elsewhere.
   */
  private boolean canWork(String name, Set<String> above) {
    Valid<ClusterResource> cluster = clusters.get(name);
    if (cluster == null) {
      return isDefined(ResourceType.CLUSTER, name);
    }
    ClusterSource source = cluster.value().source();
    if (source instanceof ClusterSource.Aggregate aggregate) {
      return above.add(name)
          && aggregate.clusters().stream().anyMatch(leaf -> canWork(leaf, above));
    }
    return !(source instanceof ClusterSource.Eds eds)
        || (isDefined(ResourceType.ENDPOINT, eds.resourceName()) && whyUnusable(eds).isEmpty());
  }

  /** Returns the reason why no endpoint can be picked; empty when an endpoint can be picked. */
  private Optional<String> whyUnusable(ClusterSource.Eds eds) {
    Valid<EndpointSet> set = endpoints.get(eds.resourceName());
    if (set == null) {
      return Optional.empty();
    }
    var localities = set.value().priorities().stream().flatMap(List::stream).toList();
    Stream<Endpoint> all = localities.stream().flatMap(each -> each.endpoints().stream());
    return all.anyMatch(each -> each.health().isUsable())
        ? Optional.empty()
        : Optional.of(set.value().whyUnusable(localities));
  }

  private void cluster(String name, boolean isError) {
    Valid<ClusterResource> cluster = requireNonNull(clusters.get(name));
    var top = new Place("", List.of());
    if (cluster.value().source() instanceof ClusterSource.Aggregate aggregate) {
      boolean isHopeless = isError && !canWork(name, new HashSet<>());
      Place list = top.at("cluster_type").at("typed_config");
      for (int i = 0; i < aggregate.clusters().size(); i++) {
        String leaf = aggregate.clusters().get(i);
        if (!isDefined(ResourceType.CLUSTER, leaf)) {
          report.add(
              isHopeless, cluster.resource(), list.at("clusters", i).missing("cluster", leaf));
        }
      }
    } else if (cluster.value().source() instanceof ClusterSource.Eds eds) {
      if (!isDefined(ResourceType.ENDPOINT, eds.resourceName())) {
        report.add(
            isError,
            cluster.resource(),
            top.at("eds_cluster_config").missing("endpoints", eds.resourceName()));
      }
      whyUnusable(eds)
          .ifPresent(
              reason ->
                  report.add(
                      isError,
                      requireNonNull(endpoints.get(eds.resourceName())).resource(),
                      top.at("endpoints")
                          .says(
                              "no call of cluster \"%s\" can succeed, since none can be picked: %s",
                              name, reason)));
    }
  }

  /** The path of a field within a resource. */
  private record Place(String path, List<String> steps) {
    Place at(String field) {
      return step(path.isEmpty() ? field : path + "." + field, field);
    }

    Place at(String list, int index) {
      Place inside = at(list);
      return inside.step(inside.path + "[" + index + "]", Integer.toString(index));
    }

    private Place step(String to, String last) {
      List<String> way = new ArrayList<>(steps);
      way.add(last);
      return new Place(to, way);
    }

    FieldError says(String format, Object... values) {
      return new FieldError(path, steps, String.format(Locale.ROOT, format, values));
    }

    FieldError missing(String kind, String name) {
      return says("%s \"%s\" is not in the files; add it, or correct the name", kind, name);
    }

    FieldError slash(String text) {
      return says(
          "\"%1$s\" matches no request, since every path begins with a slash; write \"/%1$s\"",
          WireText.read(text));
    }
  }
}
