package io.outrigger.program.testing.mesh;

import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.outrigger.xds.testing.LoadServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * An ADS control plane of another make on a loopback port. It answers only once a client has asked
 * for every resource, so a configuration must name each cluster that it serves in some route.
 */
public final class ControlPlane implements AutoCloseable {
  private static final String GROUP = "mesh";

  private final SimpleCache<String> cache = new SimpleCache<>(node -> GROUP);
  private final Server server;

  /** What is served: one listener and what hangs on it. */
  public record Mesh(
      Listener listener,
      RouteConfiguration routes,
      List<Cluster> clusters,
      List<ClusterLoadAssignment> assignments) {
    public Mesh {
      clusters = List.copyOf(clusters);
      assignments = List.copyOf(assignments);
    }
  }

  /** Starts on a free port. */
  public ControlPlane() {
    this(new LoadServer());
  }

  /**
   * Starts on a free port.
   *
   * @param loads takes load reports
   */
  public ControlPlane(LoadServer loads) {
    var discovery = new V3DiscoveryServer(cache);
    try {
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .addService(discovery.getAggregatedDiscoveryServiceImpl())
              .addService(loads)
              .build()
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Serves {@code mesh}; resources of a type are sent again when the version of the type changed.
   */
  public void serve(Mesh mesh, String routesVersion, String clustersVersion) {
    cache.setSnapshot(
        GROUP,
        Snapshot.create(
            mesh.clusters(),
            clustersVersion,
            mesh.assignments(),
            clustersVersion,
            List.of(mesh.listener()),
            clustersVersion,
            List.of(mesh.routes()),
            routesVersion,
            List.of(),
            "1"));
  }

  public int port() {
    return server.getPort();
  }

  /** A bootstrap that leads here. */
  public String bootstrap(String node) {
    return bootstrap("127.0.0.1:" + port(), node);
  }

  /** A bootstrap that leads to {@code server}. */
  public static String bootstrap(String server, String node) {
    return """
        {
          "xds_servers": [{
            "server_uri": "%s",
            "channel_creds": [{"type": "insecure"}],
            "server_features": ["xds_v3"]
          }],
          "node": {"id": "%s"}
        }
        """
        .formatted(server, node);
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
