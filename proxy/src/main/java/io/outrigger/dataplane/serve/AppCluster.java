package io.outrigger.dataplane.serve;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.listener.ApiListener;
import io.outrigger.config.listener.RouteSource;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.PathMatcher;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.LbEvent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The cluster whose only endpoint is the app of a {@code --serve}. The cluster has no limit of
 * requests, and connects to the app again whenever the connection is lost.
 */
@ControlConfined
public final class AppCluster {
  private final ClusterManager clusters;
  private final ClusterHandle handle;
  private final String address;

  /**
   * Creates the cluster and starts to connect.
   *
   * @param name the name of the {@code --serve}
   * @param addresses the addresses of the app, in order of preference
   * @param makeClusters creates the balancing, which notifies the given listener
   */
  public AppCluster(
      String name,
      List<EndpointAddress> addresses,
      Function<ClusterManager.Listener, ClusterManager> makeClusters) {
    address = addresses.get(0).toString();
    clusters = makeClusters.apply(new Unchanging());
    String cluster = "app of " + name; // no control plane names a cluster like this
    Map<String, ClusterHandle> handles = clusters.apply(config(cluster, addresses));
    handle = Optional.ofNullable(handles.get(cluster)).orElseThrow();
  }

  private static XdsConfig config(String name, List<EndpointAddress> addresses) {
    var toApp =
        new Route(
            "",
            0,
            new RouteMatch(new PathMatcher.Prefix("/", true), List.of(), Optional.empty()),
            new RouteAction.Forward(new ClusterChoice.Single(name), RouteTimeout.UNSET),
            Map.of());
    var host = new VirtualHost(name, List.of("*"), List.of(toApp), Map.of());
    var routes = new RouteTable(name, List.of(host));
    var listener =
        new ApiListener(name, new RouteSource.Inline(routes), List.of(), Optional.empty());
    return new XdsConfig(listener, routes, host, Map.of(name, Outcome.ok(leaf(name, addresses))));
  }

  private static ClusterConfig leaf(String name, List<EndpointAddress> addresses) {
    var cluster =
        new ClusterResource(
            name,
            new ClusterSource.Eds(name),
            new BalancingPolicy.RoundRobin(), // unlike pick_first, it connects without a call
            new ClusterResource.Limits(ClusterResource.UNLIMITED, 1),
            Optional.empty(),
            new ClusterResource.Sessions(
                ClusterResource.DEFAULT_IDLE_TIMEOUT, Set.of(HealthStatus.HEALTHY)));
    var endpoint = new Endpoint(addresses, HealthStatus.HEALTHY, 1, "");
    var locality = new LocalityEndpoints(new Locality("", "", ""), 1, List.of(endpoint));
    var endpoints = new EndpointSet(name, List.of(List.of(locality)), List.of());
    return new ClusterConfig.Leaf(cluster, Outcome.ok(endpoints), "");
  }

  public ClusterHandle handle() {
    return handle;
  }

  /** The balancing, for status views. */
  public ClusterManager clusters() {
    return clusters;
  }

  /** Whether there is a connection to the app now. */
  public boolean isReachable() {
    return handle.state() == Connectivity.READY;
  }

  /** Returns why there is no connection to the app. */
  String obstacle() {
    String failure =
        clusters
            .outages()
            .map(LbEvent.Outage::lastError)
            .filter(error -> !error.isEmpty())
            .findFirst()
            .orElse(address + ": not connected yet");
    return "the app cannot be reached: " + failure;
  }

  /** Runs {@code task} as soon as there is a connection to the app, at once if there is one. */
  void whenReachable(Runnable task) {
    if (isReachable()) {
      task.run();
    } else if (handle.park(() -> whenReachable(task), handle.picker()) < 0) {
      whenReachable(task);
    }
  }

  /** Closes the connections; later calls fail. */
  public void close() {
    clusters.close();
  }

  /** Ignores changes, since the cluster never changes. */
  private static final class Unchanging implements ClusterManager.Listener {
    @Override
    public void onClustersChanged() {}

    @Override
    public void onReresolution() {}
  }
}
