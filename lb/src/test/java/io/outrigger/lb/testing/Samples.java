package io.outrigger.lb.testing;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Small configurations for tests. Addresses are written as {@code ip:port}. */
public final class Samples {
  /** A pick that has to wait. */
  public static final PickResult QUEUE = PickResult.Queue.connecting("test: waiting");

  /** The note of every sample. */
  public static final String NOTE = "xDS node ID: test";

  private Samples() {}

  public static EndpointAddress address(String text) {
    int colon = text.lastIndexOf(':');
    String ip = text.substring(0, colon).replace("[", "").replace("]", "");
    return new EndpointAddress(ip, Integer.parseInt(text.substring(colon + 1)));
  }

  /** One endpoint with these addresses. */
  public static Endpoint endpoint(String... addresses) {
    return new Endpoint(
        Arrays.stream(addresses).map(Samples::address).toList(), HealthStatus.HEALTHY, 1, "");
  }

  public static Endpoint endpoint(HealthStatus health, String address) {
    return new Endpoint(List.of(address(address)), health, 1, "");
  }

  public static Endpoint endpoint(String address, long weight) {
    return new Endpoint(List.of(address(address)), HealthStatus.HEALTHY, weight, "");
  }

  public static Locality locality(String zone) {
    return new Locality("r", zone, "s");
  }

  public static LocalityEndpoints locality(String zone, long weight, Endpoint... endpoints) {
    return new LocalityEndpoints(locality(zone), weight, List.of(endpoints));
  }

  /** A locality of weight 1 with an endpoint for each address. */
  public static LocalityEndpoints zone(String zone, String... addresses) {
    return new LocalityEndpoints(
        locality(zone), 1, Arrays.stream(addresses).map(Samples::endpoint).toList());
  }

  /** One endpoint with these addresses, in some locality. */
  public static Backend backend(String... addresses) {
    return new Backend(endpoint(addresses), locality("z"), 0);
  }

  /** An endpoint for each address, in some locality. */
  public static List<Backend> backends(String... addresses) {
    return Arrays.stream(addresses).map(Samples::backend).toList();
  }

  /** Priorities of one locality each. */
  public static EndpointSet priorities(LocalityEndpoints... localities) {
    return endpoints(Arrays.stream(localities).map(List::of).toList());
  }

  public static EndpointSet endpoints(
      List<List<LocalityEndpoints>> priorities, DropCategory... drops) {
    return new EndpointSet("eds", priorities, List.of(drops));
  }

  public static ClusterResource cluster(String name, ClusterSource source) {
    return cluster(
        name, source, ClusterResource.DEFAULT_POLICY, ClusterResource.Limits.DEFAULT.maxRequests());
  }

  public static ClusterResource cluster(
      String name, ClusterSource source, BalancingPolicy policy, long maxRequests) {
    return new ClusterResource(
        name,
        source,
        policy,
        new ClusterResource.Limits(maxRequests, 1),
        Optional.empty(),
        new ClusterResource.Sessions(ClusterResource.DEFAULT_IDLE_TIMEOUT, Set.of()));
  }

  /** {@code cluster}, whose load is reported. */
  public static ClusterResource reported(ClusterResource cluster, LoadReporting reporting) {
    return new ClusterResource(
        cluster.name(),
        cluster.source(),
        cluster.policy(),
        cluster.limits(),
        cluster.outlierDetection(),
        cluster.sessions(),
        cluster.transport(),
        Optional.of(reporting),
        OverlayEffect.NONE);
  }

  /** An EDS cluster, round robin within localities by weight. */
  public static ClusterConfig.Leaf eds(String name, EndpointSet endpoints) {
    return leaf(cluster(name, new ClusterSource.Eds(name)), endpoints);
  }

  /** An EDS cluster that watches for outliers. */
  public static ClusterConfig.Leaf watched(
      String name, OutlierDetection detection, EndpointSet endpoints) {
    return watched(cluster(name, new ClusterSource.Eds(name)), Optional.of(detection), endpoints);
  }

  /** {@code cluster} with other settings of outlier detection. */
  public static ClusterConfig.Leaf watched(
      ClusterResource cluster, Optional<OutlierDetection> detection, EndpointSet endpoints) {
    return leaf(
        new ClusterResource(
            cluster.name(),
            cluster.source(),
            cluster.policy(),
            cluster.limits(),
            detection,
            cluster.sessions()),
        endpoints);
  }

  /** An EDS cluster with one locality in one priority. */
  public static ClusterConfig.Leaf eds(String name, String... addresses) {
    return eds(name, priorities(zone("z", addresses)));
  }

  /** A LOGICAL_DNS cluster whose name resolved to these. */
  public static ClusterConfig.Leaf dns(String name, String... addresses) {
    return leaf(
        cluster(name, new ClusterSource.Dns(name + ".test", 80, true)),
        priorities(locality("", 1, endpoint(addresses))));
  }

  public static ClusterConfig.Leaf leaf(ClusterResource cluster, EndpointSet endpoints) {
    return new ClusterConfig.Leaf(cluster, Outcome.ok(endpoints), NOTE);
  }

  /** A leaf for which nothing usable was discovered. */
  public static ClusterConfig.Leaf undiscovered(String name, String reason) {
    return new ClusterConfig.Leaf(
        cluster(name, new ClusterSource.Eds(name)),
        Outcome.failed(RpcStatus.unavailable(reason)),
        NOTE);
  }

  public static ClusterConfig.Aggregate aggregate(String name, String... leaves) {
    return new ClusterConfig.Aggregate(
        cluster(name, new ClusterSource.Aggregate(List.of(leaves))), List.of(leaves), NOTE);
  }

  /** The failure of a cluster that does not exist. */
  public static RpcStatus gone(String cluster) {
    return new RpcStatus(RpcStatus.Code.NOT_FOUND, "cluster \"" + cluster + "\" does not exist");
  }

  /** A configuration whose routes lead to {@code routed}. */
  public static XdsConfig config(Set<String> routed, ClusterConfig... clusters) {
    return config(routed, Map.of(), clusters);
  }

  /**
   * A configuration whose routes lead to {@code routed}.
   *
   * @param failed by name of cluster
   */
  public static XdsConfig config(
      Set<String> routed, Map<String, RpcStatus> failed, ClusterConfig... clusters) {
    Map<String, Outcome<ClusterConfig>> all = new HashMap<>();
    failed.forEach((name, status) -> all.put(name, Outcome.failed(status)));
    for (ClusterConfig cluster : clusters) {
      all.put(cluster.cluster().name(), Outcome.ok(cluster));
    }
    List<Route> routes = new ArrayList<>();
    for (String name : routed) {
      var action = new RouteAction.Forward(new ClusterChoice.Single(name), RouteTimeout.UNSET);
      var match =
          new RouteMatch(new StringMatcher.Prefix("/" + name, false), List.of(), Optional.empty());
      routes.add(new Route(name, routes.size(), match, action, Map.of()));
    }
    var host = new VirtualHost("h", List.of("*"), routes, Map.of());
    var table = new RouteTable("routes", List.of(host));
    var listener = new ApiListener("l", new RouteSource.Inline(table), List.of(), Optional.empty());
    return new XdsConfig(listener, table, host, all);
  }

  /** The tree that the policy shows as a node that is used. */
  public static LbNode describe(LbPolicy policy, String name) {
    return LbNode.of(visitor -> policy.accept(visitor, name, true)).get(0);
  }

  /** Shows {@code tree} as policies show themselves. */
  public static void show(LbNode tree, NodeVisitor visitor) {
    visitor.enter(tree);
    tree.children().forEach(child -> show(child, visitor));
    tree.endpoints().forEach(visitor::endpoint);
    visitor.leave();
  }
}
