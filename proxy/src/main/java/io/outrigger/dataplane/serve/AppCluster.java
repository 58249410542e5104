package io.outrigger.dataplane.serve;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
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
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.StringMatcher;
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
 * The cluster whose only endpoint is the app of a {@code --serve}. The cluster does not limit
 * requests, and reconnects to the app whenever the connection is lost.
 */
@ControlConfined
public final class AppCluster {
  /**
   * The maximum number of connections to the app. Many servers admit at most 100 streams per
   * connection. With a single connection, a caller whose streams never end could block all other
   * callers.
   */
  private static final int MAX_CONNECTIONS = 100; // decision proxy-0088

  private final String name;
  private final String app;
  private final ClusterManager clusters;
  private final ClusterHandle handle;
  private Outcome<EndpointSet> endpoints;
  private Runnable lookUpAgain = () -> {};
  private Runnable stopLookups = () -> {};

  /**
   * Creates the cluster, at first without an address of the app.
   *
   * @param app the app's address as the user wrote it
   */
  public AppCluster(
      String serve, String app, Function<ClusterManager.Listener, ClusterManager> makeClusters) {
    this.app = app;
    name = "app of " + serve; // no control plane is expected to use such a name
    endpoints = Outcome.failed(RpcStatus.unavailable(app + ": not looked up yet"));
    clusters = makeClusters.apply(() -> lookUpAgain.run());
    handle = Optional.ofNullable(clusters.apply(config()).get(name)).orElseThrow();
  }

  /** Connects to the first of the given addresses that answers. */
  public AppCluster at(List<EndpointAddress> fixed) {
    var endpoint = new Endpoint(fixed, HealthStatus.HEALTHY, 1, "");
    var locality = new LocalityEndpoints(new Locality("", "", ""), 1, List.of(endpoint));
    endpoints(Outcome.ok(new EndpointSet(name, List.of(List.of(locality)), List.of())));
    return this;
  }

  /**
   * Connects to the app's addresses, which a resolver passes to {@link #endpoints}.
   *
   * @param lookUpAgain called after a connection to the app was lost or failed
   * @param stopLookups called by {@link #close}
   */
  public void follow(Runnable lookUpAgain, Runnable stopLookups) {
    this.lookUpAgain = lookUpAgain;
    this.stopLookups = stopLookups;
  }

  /** Sets the app's addresses, or the status with which calls fail because the lookup failed. */
  public void endpoints(Outcome<EndpointSet> next) {
    endpoints = next;
    clusters.apply(config());
  }

  /** Returns the configuration of a target whose requests all go to the app. */
  public XdsConfig config() {
    var toApp =
        new Route(
            "",
            0,
            new RouteMatch(new StringMatcher.Prefix("/", false), List.of(), Optional.empty()),
            new RouteAction.Forward(new ClusterChoice.Single(name), RouteTimeout.UNSET),
            Map.of());
    var host = new VirtualHost(name, List.of("*"), List.of(toApp), Map.of());
    var routes = new RouteTable(name, List.of(host));
    var listener =
        new ApiListener(name, new RouteSource.Inline(routes), List.of(), Optional.empty());
    return new XdsConfig(listener, routes, host, Map.of(name, Outcome.ok(leaf())));
  }

  private ClusterConfig leaf() {
    var cluster =
        new ClusterResource(
            name,
            new ClusterSource.Eds(name),
            new BalancingPolicy.RoundRobin(), // connects without a call, unlike pick_first
            new ClusterResource.Limits(ClusterResource.UNLIMITED, MAX_CONNECTIONS),
            Optional.empty(),
            new ClusterResource.Sessions(
                ClusterResource.DEFAULT_IDLE_TIMEOUT, Set.of(HealthStatus.HEALTHY)));
    return new ClusterConfig.Leaf(cluster, endpoints, "");
  }

  public ClusterHandle handle() {
    return handle;
  }

  public boolean isReachable() {
    return handle.state() == Connectivity.READY;
  }

  /** Returns the reason why there is no connection to the app. */
  String reasonUnreachable() {
    String failure =
        endpoints.isOk()
            ? clusters
                .outages()
                .map(LbEvent.Outage::lastError)
                .filter(error -> !error.isEmpty())
                .findFirst()
                .orElse(app + ": not connected yet")
            : endpoints.status().message();
    return "the app cannot be reached: " + failure;
  }

  /** Runs a task as soon as the app is connected; immediately if it is connected already. */
  void whenReachable(Runnable task) {
    if (isReachable()) {
      task.run();
    } else if (handle.park(() -> whenReachable(task), handle.picker()) < 0) {
      whenReachable(task);
    }
  }

  /** Closes the connections; later calls fail. */
  public void close() {
    stopLookups.run();
    clusters.close();
  }
}
