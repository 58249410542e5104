package io.outrigger.proxy.app;

import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.Locality;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.LbObserver;
import io.outrigger.lb.tree.CircuitBreakers;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.proxy.filter.HttpFilters;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.xds.ResourceType;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsObserver;
import io.outrigger.xds.testing.FakeAdsTransport;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.IntStream;

/**
 * What updates cost the control loop, in CPU time, where much is known ({@code scripts/bench
 * scale}): everything from a response to pickers and the selector, with a control plane and
 * connections that cost nothing. Decoding, which has a thread of its own, is timed apart.
 *
 * <p>Arguments: clusters, endpoints in each, changes to time; {@code --json} for programs.
 */
final class ScaleMain {
  private static final String NAME = "svc";

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeAdsTransport server = new FakeAdsTransport(loop);
  private final Queue<Runnable> decodings = new ArrayDeque<>();
  private final int clusters;
  private final int endpoints;
  private int published;
  private int version;
  private long decodeNanos;

  private ScaleMain(int clusters, int endpoints) {
    this.clusters = clusters;
    this.endpoints = endpoints;
  }

  public static void main(String[] args) {
    List<String> numbers = Arrays.stream(args).filter(arg -> !arg.startsWith("-")).toList();
    int clusters = number(numbers, 0, 10_000);
    int endpoints = number(numbers, 1, 10);
    int changes = number(numbers, 2, 300);
    JsonObject result = new ScaleMain(clusters, endpoints).run(changes);
    if (List.of(args).contains("--json")) {
      System.out.println(result);
    } else {
      result.entrySet().forEach(e -> System.out.printf("%-44s %s%n", e.getKey(), e.getValue()));
    }
  }

  private static int number(List<String> numbers, int index, int otherwise) {
    return index < numbers.size() ? Integer.parseInt(numbers.get(index)) : otherwise;
  }

  private JsonObject run(int changes) {
    loop.inside(target()::start);
    var all = new JsonObject();
    all.addProperty("clusters", clusters);
    all.addProperty("endpoints", clusters * endpoints);
    double load = 0;
    load += respond(ResourceType.LISTENER, List.of(listener()));
    server.stream().ready();
    load += respond(ResourceType.ROUTE, List.of(routes()));
    load += respond(ResourceType.CLUSTER, everyCluster());
    all.addProperty("load without balancing, control loop ms", rounded(load));
    load = respond(ResourceType.ENDPOINT, everyEndpoints());
    all.addProperty("load of endpoints and trees, control loop ms", rounded(load));
    all.addProperty("load, decoding ms", rounded(decodeNanos / 1e6));
    if (published != 1) {
      throw new IllegalStateException("published " + published + " configurations");
    }

    double[] times = new double[changes];
    for (int i = 0; i < 2 * changes; i++) { // the first half warms up
      double millis = respond(ResourceType.ENDPOINT, List.of(endpoints(i % clusters, 1 + i)));
      times[i % changes] = millis;
    }
    if (published != 1 + 2 * changes) {
      throw new IllegalStateException("published " + published + " configurations");
    }
    Arrays.sort(times);
    all.addProperty("one EDS change, control loop ms, median", rounded(times[changes / 2]));
    all.addProperty(
        "one EDS change, control loop ms, 99th", rounded(times[(int) (changes * 0.99)]));
    all.addProperty("one EDS change, control loop ms, longest", rounded(times[changes - 1]));

    int before = published;
    List<Any> same = everyCluster();
    double again = respond(ResourceType.CLUSTER, same);
    decodeNanos = 0;
    again = Math.min(again, respond(ResourceType.CLUSTER, same));
    all.addProperty("identical re-push, control loop ms", rounded(again));
    all.addProperty("identical re-push, decoding ms", rounded(decodeNanos / 1e6));
    all.addProperty("identical re-push, configurations told", published - before);
    return all;
  }

  private XdsDependencyManager target() {
    var node = new Node("n", "", new io.outrigger.config.endpoint.Locality("", "", ""), Map.of());
    var cp =
        new XdsServer(
            "cp", new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
    var bootstrap = new Bootstrap(List.of(cp), node, Map.of(), Map.of(), "%s");
    var ads =
        new AdsClients(
            loop,
            decodings::add,
            RandomSource.SYSTEM,
            bootstrap,
            "1",
            ResourceDecoder::decode,
            of -> server,
            AdsObserver.all());
    var dependencies = new XdsDependencyManager[1];
    var unused =
        new TargetRuntime(
            loop,
            NAME,
            NAME,
            HttpFilters.ofProcess(),
            false,
            listener ->
                new ClusterManager(
                    loop,
                    (address, maxConnections, attempt) -> {
                      loop.execute(() -> attempt.onReady((interval, reports) -> () -> {}));
                      return () -> {};
                    },
                    RandomSource.SYSTEM,
                    new CircuitBreakers(),
                    LbObserver.none(),
                    2,
                    listener),
            listener -> {
              dependencies[0] =
                  new XdsDependencyManager(
                      loop,
                      ads.of(NAME),
                      (host, port, answer) -> () -> {},
                      NAME,
                      NAME,
                      "n",
                      counting(listener));
              return dependencies[0];
            });
    return dependencies[0];
  }

  private XdsDependencyManager.Listener counting(XdsDependencyManager.Listener listener) {
    return new XdsDependencyManager.Listener() {
      @Override
      public void onConfig(Outcome<XdsConfig> config) {
        published++;
        listener.onConfig(config);
      }

      @Override
      public void onClusters(Map<String, Outcome<ClusterConfig>> changed) {
        published++;
        listener.onClusters(changed);
      }
    };
  }

  /** Delivers a response; milliseconds of CPU that it cost the control loop. */
  private double respond(ResourceType<?> type, List<Any> resources) {
    long start = cpu();
    server.stream().respond(type, "v" + ++version, resources.toArray(Any[]::new));
    long taken = cpu() - start;
    while (!decodings.isEmpty()) {
      start = cpu();
      decodings.remove().run();
      decodeNanos += cpu() - start;
    }
    start = cpu();
    loop.run();
    taken += cpu() - start;
    server.stream().take();
    return taken / 1e6;
  }

  /** Of this thread: what else runs on the machine does not count. */
  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static double rounded(double millis) {
    return Math.round(millis * 100) / 100.0;
  }

  private static Any listener() {
    var manager =
        HttpConnectionManager.newBuilder()
            .setRds(
                io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds
                    .newBuilder()
                    .setRouteConfigName("routes")
                    .setConfigSource(ads()))
            .addHttpFilters(
                HttpFilter.newBuilder()
                    .setName("router")
                    .setTypedConfig(Any.pack(Router.getDefaultInstance())));
    return Any.pack(
        Listener.newBuilder()
            .setName(NAME)
            .setApiListener(ApiListener.newBuilder().setApiListener(Any.pack(manager.build())))
            .build());
  }

  private Any routes() {
    var host = VirtualHost.newBuilder().setName("all").addDomains("*");
    for (int i = 0; i < clusters; i++) {
      host.addRoutes(
          Route.newBuilder()
              .setMatch(RouteMatch.newBuilder().setPath("/service/" + i))
              .setRoute(RouteAction.newBuilder().setCluster("cluster-" + i)));
    }
    return Any.pack(
        RouteConfiguration.newBuilder().setName("routes").addVirtualHosts(host).build());
  }

  private List<Any> everyCluster() {
    return IntStream.range(0, clusters)
        .mapToObj(
            i ->
                Any.pack(
                    Cluster.newBuilder()
                        .setName("cluster-" + i)
                        .setType(Cluster.DiscoveryType.EDS)
                        .setEdsClusterConfig(
                            Cluster.EdsClusterConfig.newBuilder().setEdsConfig(ads()))
                        .build()))
        .toList();
  }

  private List<Any> everyEndpoints() {
    return IntStream.range(0, clusters).mapToObj(i -> endpoints(i, 0)).toList();
  }

  /** The endpoints of a cluster; {@code change} makes one of them another. */
  private Any endpoints(int cluster, int change) {
    var locality =
        LocalityLbEndpoints.newBuilder()
            .setLocality(Locality.newBuilder().setRegion("r").setZone("z"))
            .setLoadBalancingWeight(com.google.protobuf.UInt32Value.of(1));
    for (int i = 0; i < endpoints; i++) {
      int port = i == 0 ? 1 + change % 60_000 : 443;
      locality.addLbEndpoints(
          LbEndpoint.newBuilder()
              .setEndpoint(
                  Endpoint.newBuilder()
                      .setAddress(
                          Address.newBuilder()
                              .setSocketAddress(
                                  SocketAddress.newBuilder()
                                      .setAddress(address(cluster * endpoints + i))
                                      .setPortValue(port)))));
    }
    return Any.pack(
        ClusterLoadAssignment.newBuilder()
            .setClusterName("cluster-" + cluster)
            .addEndpoints(locality)
            .build());
  }

  private static String address(int number) {
    return "10.%d.%d.%d".formatted((number >> 16) & 255, (number >> 8) & 255, number & 255);
  }

  private static ConfigSource ads() {
    return ConfigSource.newBuilder().setAds(AggregatedConfigSource.getDefaultInstance()).build();
  }
}
