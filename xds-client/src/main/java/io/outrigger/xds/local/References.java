package io.outrigger.xds.local;

import static java.util.Objects.requireNonNull;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.ListenerResource;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.listener.SocketListener;
import io.outrigger.config.route.DomainMatch;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.route.WireText;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.FieldErrors;
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
 * Checks that all resources named in other resources exist, and that calls can succeed with them. A
 * missing resource is an error if the calls of a listener need it, otherwise a warning. Each
 * instance is used once, by one thread.
 */
public final class References {
  private final Map<String, FieldErrors> findings = new LinkedHashMap<>();
  private final Map<ResourceType<?>, Set<String>> defined = new HashMap<>();
  private final Map<String, ListenerResource> listeners = new LinkedHashMap<>();
  private final Map<String, RouteTable> tables = new LinkedHashMap<>();
  private final Map<String, ClusterResource> clusters = new LinkedHashMap<>();
  private final Map<String, EndpointSet> endpoints = new LinkedHashMap<>();
  private final Map<String, Boolean> reached = new LinkedHashMap<>(); // true if findings are errors
  private final Optional<VirtualHost> onlyHost;

  /**
   * @param onlyHost the virtual host whose routes are checked; empty to check all routes
   */
  References(Optional<VirtualHost> onlyHost) {
    this.onlyHost = onlyHost;
  }

  /**
   * Checks the configuration of a target. Clusters and endpoints without a value are not checked.
   *
   * @return the findings of {@link #check()}
   */
  public static Map<String, FieldErrors> check(XdsConfig config) {
    var references = new References(Optional.of(config.virtualHost()));
    references.add(ResourceType.LISTENER, config.listener().name(), config.listener());
    if (config.listener().routes() instanceof RouteSource.Rds rds) {
      references.add(ResourceType.ROUTE, rds.name(), config.routes());
    }
    config
        .clusters()
        .forEach(
            (name, outcome) -> {
              references.define(ResourceType.CLUSTER, name);
              outcome.toOptional().ifPresent(cluster -> references.add(name, cluster));
            });
    return references.check();
  }

  private void add(String name, ClusterConfig config) {
    add(ResourceType.CLUSTER, name, config.cluster());
    if (config instanceof ClusterConfig.Leaf leaf
        && config.cluster().source() instanceof ClusterSource.Eds eds) {
      define(ResourceType.ENDPOINT, eds.resourceName());
      leaf.endpoints()
          .toOptional()
          .ifPresent(set -> add(ResourceType.ENDPOINT, eds.resourceName(), set));
    }
  }

  /** Records that a resource of this name exists, whether it is valid or not. */
  void define(ResourceType<?> type, String name) {
    defined.computeIfAbsent(type, all -> new HashSet<>()).add(name);
  }

  void add(ResourceType<?> type, String name, Object value) {
    define(type, name);
    if (value instanceof ListenerResource listener) {
      listeners.putIfAbsent(name, listener);
    } else if (value instanceof RouteTable table) {
      tables.putIfAbsent(name, table);
    } else if (value instanceof ClusterResource cluster) {
      clusters.putIfAbsent(name, cluster);
    } else if (value instanceof EndpointSet set) {
      endpoints.putIfAbsent(name, set);
    }
  }

  /**
   * Finds each missing resource, and each resource with which no call can succeed.
   *
   * @return the findings by resource, such as {@code cluster "pay"}; {@link FieldErrors#ignored}
   *     contains the warnings
   */
  Map<String, FieldErrors> check() {
    Set<String> names = new HashSet<>();
    listeners.forEach(
        (name, listener) -> {
          FieldErrors top = of(ResourceType.LISTENER, name);
          if (listener instanceof ApiListener api) {
            routes(true, top.at("api_listener").at("api_listener"), api.routes(), names);
          } else if (listener instanceof SocketListener socket) {
            chains(top, socket);
          }
        });
    tables.forEach(
        (name, table) -> table(names.contains(name), of(ResourceType.ROUTE, name), table));
    clusters.keySet().forEach(name -> reach(name, false));
    reached.forEach(this::cluster);
    return findings;
  }

  private FieldErrors of(ResourceType<?> type, String name) {
    return findings.computeIfAbsent(type.subject(name), none -> FieldErrors.ofResource());
  }

  private static void report(boolean isError, FieldErrors place, String format, Object... values) {
    String reason = String.format(Locale.ROOT, format, values);
    if (isError) {
      place.add(reason);
    } else {
      place.ignore(reason);
    }
  }

  private static void missing(boolean isError, FieldErrors place, String kind, String name) {
    report(
        isError,
        place,
        "%s \"%s\" is not in the files, or only with an error; add or correct it, or correct the"
            + " name",
        kind,
        name);
  }

  /**
   * @param isError whether findings are errors instead of warnings; true if clients use the routes
   * @param names the set to which the name of the route configuration is added
   */
  private void routes(boolean isError, FieldErrors path, RouteSource routes, Set<String> names) {
    if (routes instanceof RouteSource.Inline inline) {
      table(isError, path.at("route_config"), inline.table());
    } else if (routes instanceof RouteSource.Rds rds) {
      names.add(rds.name());
      if (!isDefined(ResourceType.ROUTE, rds.name())) {
        missing(true, path.at("rds").at("route_config_name"), "route configuration", rds.name());
      }
    }
  }

  private void chains(FieldErrors top, SocketListener listener) {
    for (int i = 0; i < listener.chains().size(); i++) {
      chain(top.at("filter_chains", i), listener.chains().get(i));
    }
    listener.defaultChain().ifPresent(chain -> chain(top.at("default_filter_chain"), chain));
  }

  private void chain(FieldErrors place, ServerFilterChain chain) {
    FieldErrors manager = place.at("filters", 0).at("typed_config"); // the only filter of a chain
    routes(false, manager, chain.routes(), new HashSet<>());
  }

  private boolean isDefined(ResourceType<?> type, String name) {
    return defined.getOrDefault(type, Set.of()).contains(name);
  }

  private void table(boolean isReached, FieldErrors place, RouteTable table) {
    Set<String> domains = new HashSet<>();
    boolean isUsable = false;
    for (int h = 0; h < table.virtualHosts().size(); h++) {
      VirtualHost host = table.virtualHosts().get(h);
      FieldErrors here = place.at("virtual_hosts", h);
      boolean isNamed = false;
      for (int d = 0; d < host.domains().size(); d++) {
        String domain = host.domains().get(d);
        if (domain.isEmpty() || DomainMatch.rank(domain, domain.replace('*', 'x')) == 0) {
          String reason =
              "\"%s\" matches no authority; give a name, with at most one star at its start or end";
          report(false, here.at("domains", d), reason, domain);
        } else if (domains.add(domain.toLowerCase(Locale.ROOT))) {
          isNamed = true;
        } else {
          String reason =
              "\"%s\" is a domain of two virtual hosts; only the first is used; remove one of them";
          report(isReached, here.at("domains", d), reason, domain);
        }
      }
      if (host.domains().isEmpty()) {
        here.at("domains").ignore("is empty, so no authority matches; give a domain, such as *");
      }
      if (onlyHost.isEmpty() || onlyHost.get().equals(host)) {
        host.routes().forEach(route -> route(isReached, here.at("routes", route.index()), route));
        isUsable |= isNamed && host.routes().stream().anyMatch(route -> slashless(route).isEmpty());
      }
    }
    if (isReached && !isUsable) {
      place.at("virtual_hosts").add("match no request; give a domain, such as *, and a route");
    }
  }

  private void route(boolean isReached, FieldErrors place, Route route) {
    String slashless = slashless(route);
    if (!slashless.isEmpty()) {
      String field = route.match().path() instanceof StringMatcher.Exact ? "path" : "prefix";
      String reason =
          "\"%1$s\" matches no request, since every path begins with a slash; write \"/%1$s\"";
      report(false, place.at("match").at(field), reason, WireText.read(slashless));
    }
    if (route.action() instanceof RouteAction.Forward forward) {
      forward
          .clusters()
          .names()
          .forEach(
              name -> {
                if (!isDefined(ResourceType.CLUSTER, name)) {
                  missing(isReached, place.at("route"), "cluster", name);
                } else if (isReached) {
                  reach(name, true);
                }
              });
    }
  }

  /** Returns the prefix or path of a route if it does not begin with a slash, otherwise "". */
  private static String slashless(Route route) {
    StringMatcher path = route.match().path();
    String text = path instanceof StringMatcher.Exact exact ? exact.exact() : "";
    text = path instanceof StringMatcher.Prefix prefix ? prefix.prefix() : text;
    return text.startsWith("/") ? "" : text;
  }

  /** Records that calls reach a cluster and, if the cluster is an aggregate, its leaves. */
  private void reach(String name, boolean isError) {
    ClusterResource cluster = clusters.get(name);
    if (cluster == null
        || reached.getOrDefault(name, false)
        || (reached.containsKey(name) && !isError)) {
      return;
    }
    reached.put(name, isError);
    if (cluster.source() instanceof ClusterSource.Aggregate aggregate) {
      boolean isHopeless = isError && !canWork(name, new HashSet<>());
      aggregate.clusters().forEach(leaf -> reach(leaf, isHopeless));
    }
  }

  /** An invalid cluster counts as working, because the decoder reports its errors anyway. */
  private boolean canWork(String name, Set<String> above) {
    ClusterResource cluster = clusters.get(name);
    if (cluster == null) {
      return isDefined(ResourceType.CLUSTER, name);
    }
    ClusterSource source = cluster.source();
    if (source instanceof ClusterSource.Aggregate aggregate) {
      return above.add(name)
          && aggregate.clusters().stream().anyMatch(leaf -> canWork(leaf, above));
    }
    return !(source instanceof ClusterSource.Eds eds)
        || (isDefined(ResourceType.ENDPOINT, eds.resourceName()) && whyUnusable(eds).isEmpty());
  }

  private Optional<String> whyUnusable(ClusterSource.Eds eds) {
    EndpointSet set = endpoints.get(eds.resourceName());
    if (set == null) {
      return Optional.empty();
    }
    var localities = set.priorities().stream().flatMap(List::stream).toList();
    Stream<Endpoint> all = localities.stream().flatMap(each -> each.endpoints().stream());
    return all.anyMatch(each -> each.health().isUsable())
        ? Optional.empty()
        : Optional.of(set.whyUnusable(localities));
  }

  private void cluster(String name, boolean isError) {
    ClusterResource cluster = requireNonNull(clusters.get(name));
    FieldErrors top = of(ResourceType.CLUSTER, name);
    if (cluster.source() instanceof ClusterSource.Aggregate aggregate) {
      boolean isHopeless = isError && !canWork(name, new HashSet<>());
      FieldErrors list = top.at("cluster_type").at("typed_config");
      for (int i = 0; i < aggregate.clusters().size(); i++) {
        String leaf = aggregate.clusters().get(i);
        if (!isDefined(ResourceType.CLUSTER, leaf)) {
          missing(isHopeless, list.at("clusters", i), "cluster", leaf);
        }
      }
    } else if (cluster.source() instanceof ClusterSource.Eds eds) {
      if (!isDefined(ResourceType.ENDPOINT, eds.resourceName())) {
        missing(isError, top.at("eds_cluster_config"), "endpoints", eds.resourceName());
      }
      whyUnusable(eds)
          .ifPresent(
              reason ->
                  report(
                      isError,
                      of(ResourceType.ENDPOINT, eds.resourceName()).at("endpoints"),
                      "no call of cluster \"%s\" can succeed, since none can be picked: %s",
                      name,
                      reason));
    }
  }
}
