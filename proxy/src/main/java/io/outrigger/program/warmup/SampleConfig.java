package io.outrigger.program.warmup;

import io.outrigger.base.Outcome;
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
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.PathMatcher;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.config.route.RouteTable;
import io.outrigger.config.route.RouteTimeout;
import io.outrigger.config.route.VirtualHost;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The configuration of a mesh with one cluster, as a control plane might send it. */
final class SampleConfig {
  static final String AUTHORITY = "warm-up";
  private static final String CLUSTER = "warm-up";

  private SampleConfig() {}

  /**
   * Returns a configuration with three routes: two that do not match, by path and by header, and
   * one that leads to {@code backend}.
   */
  static XdsConfig leadingTo(EndpointAddress backend) {
    var host =
        new VirtualHost(
            AUTHORITY,
            List.of(AUTHORITY),
            List.of(
                route(0, new PathMatcher.Exact("/outrigger.Other/Call", true), List.of()),
                route(1, anyPath(), List.of(new HeaderMatcher.Present("x-canary", true))),
                route(2, anyPath(), List.of())),
            Map.of());
    var routes = new RouteTable(AUTHORITY, List.of(host));
    var listener =
        new ApiListener(AUTHORITY, new RouteSource.Inline(routes), List.of(), Optional.empty());
    return new XdsConfig(listener, routes, host, Map.of(CLUSTER, Outcome.ok(clusterWith(backend))));
  }

  private static PathMatcher anyPath() {
    return new PathMatcher.Prefix("/", true);
  }

  private static Route route(int index, PathMatcher path, List<HeaderMatcher> headers) {
    var clusters = new ClusterChoice.Weighted(List.of(new WeightedCluster(CLUSTER, 1, Map.of())));
    return new Route(
        "",
        index,
        new RouteMatch(path, headers, Optional.empty()),
        new RouteAction.Forward(clusters, RouteTimeout.UNSET),
        Map.of());
  }

  private static ClusterConfig clusterWith(EndpointAddress backend) {
    var cluster =
        new ClusterResource(
            CLUSTER,
            new ClusterSource.Eds(CLUSTER),
            ClusterResource.DEFAULT_POLICY,
            ClusterResource.DEFAULT_MAX_REQUESTS,
            ClusterResource.DEFAULT_MAX_CONNECTIONS,
            Optional.empty(),
            ClusterResource.DEFAULT_IDLE_TIMEOUT,
            Set.of(HealthStatus.HEALTHY));
    var endpoint = new Endpoint(List.of(backend), HealthStatus.HEALTHY, 1, "");
    var locality = new LocalityEndpoints(new Locality("", "", ""), 1, List.of(endpoint));
    var endpoints = new EndpointSet(CLUSTER, List.of(List.of(locality)), List.of());
    return new ClusterConfig.Leaf(cluster, Outcome.ok(endpoints), "");
  }
}
