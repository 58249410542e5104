package io.outrigger.program.demo;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.envoyproxy.controlplane.cache.Response;
import io.envoyproxy.controlplane.cache.Watch;
import io.envoyproxy.controlplane.cache.XdsRequest;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.outrigger.base.AnyThread;
import io.outrigger.xds.decode.ResourceJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real ADS control plane on a loopback port, which serves the same resources to all nodes. */
@AnyThread
public final class DemoControlPlane implements AutoCloseable {
  static final String TARGET = "greeter";
  static final String NODE = "outrigger-demo";
  static final String SERVER_TEMPLATE = "greeter/inbound/%s";

  /** The cache key of all nodes, because later requests of an ADS stream do not name their node. */
  private static final String ALL = "all";

  /**
   * The resources of the mesh without their endpoints. The route retries calls whose backend was
   * killed. The cluster sets the HTTP/2 option that control planes send for clients other than
   * gRPC.
   */
  private static final String MESH = "mesh.json.template";

  /** A Listener with mutual TLS, whose policy allows one caller; its port is a placeholder. */
  private static final String SERVED = "served.json.template";

  private static final String LOCALITY =
      """
      {"locality": {"region": "demo", "zone": "zone-%c"}, "load_balancing_weight": 1,
       "priority": %d, "lb_endpoints": [%s]}
      """;

  private static final String ENDPOINT =
      """
      {"health_status": "HEALTHY", "endpoint": {"address": {"socket_address": {
        "address": "127.0.0.1", "port_value": %d}}}}
      """;

  private final SimpleCache<String> cache =
      new SimpleCache<>(node -> ALL) {
        /**
         * Responds with the requested resources that exist. In the library's ADS mode, the cache
         * would not respond until all requested resources exist.
         */
        @Override
        public Watch createWatch(
            boolean ads,
            XdsRequest request,
            Set<String> known,
            Consumer<Response> reply,
            boolean hasClusterChanged,
            boolean allowDefaultEmptyEdsUpdate) {
          return super.createWatch(
              false, request, known, reply, hasClusterChanged, allowDefaultEmptyEdsUpdate);
        }
      };
  private final Server server;

  /** Starts the control plane, or throws if it cannot listen. */
  public DemoControlPlane(List<Any> resources) throws IOException {
    cache.setSnapshot(
        ALL,
        Snapshot.create(
            all(resources, Cluster.class),
            all(resources, ClusterLoadAssignment.class),
            all(resources, Listener.class),
            all(resources, RouteConfiguration.class),
            List.of(),
            "1"));
    var discovery = new V3DiscoveryServer(cache);
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(discovery.getAggregatedDiscoveryServiceImpl())
            .build()
            .start();
  }

  /** Serves {@link #TARGET} with backends by priority, and the Listener of {@code servedPort}. */
  static DemoControlPlane start(int servedPort, List<List<DemoBackend>> priorities)
      throws IOException {
    List<String> localities = new ArrayList<>();
    for (int priority = 0; priority < priorities.size(); priority++) {
      String endpoints =
          priorities.get(priority).stream()
              .map(backend -> ENDPOINT.formatted(backend.port()))
              .collect(Collectors.joining(","));
      localities.add(LOCALITY.formatted((char) ('a' + priority), priority, endpoints));
    }
    return new DemoControlPlane(
        Stream.of(
                DemoFiles.text(MESH).formatted(String.join(",", localities)),
                DemoFiles.text(SERVED).formatted(servedPort))
            .flatMap(text -> ResourceJson.parse(text).resources().stream())
            .toList());
  }

  public int port() {
    return server.getPort();
  }

  private static <T extends Message> List<T> all(List<Any> resources, Class<T> type) {
    List<T> found = new ArrayList<>();
    try {
      for (Any resource : resources) {
        if (resource.is(type)) {
          found.add(resource.unpack(type));
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("a resource that was packed a moment ago can be unpacked", e);
    }
    return found;
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
