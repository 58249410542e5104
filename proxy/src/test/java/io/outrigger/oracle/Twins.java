package io.outrigger.oracle;

import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.grpc.ManagedChannel;
import io.grpc.NameResolverRegistry;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.xds.XdsNameResolverProvider;
import io.outrigger.program.testing.mesh.ControlPlane;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.program.testing.mesh.Sidecar;
import io.outrigger.xds.testing.LoadServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A sidecar and a channel of gRPC's own xDS client at the same control plane, for the same target.
 *
 * <p>A configuration of routes has two sorts of routes ahead of the test's own: one that names each
 * cluster, so that it is always asked for, and one for a path that tells the version, by which both
 * clients are seen to have it.
 */
final class Twins implements AutoCloseable {
  private static final String MARKER = "marker";
  private static final AtomicInteger schemes = new AtomicInteger();

  private final NamedBackend marker = new NamedBackend(MARKER);
  private final LoadServer loads = new LoadServer();
  private final ControlPlane controlPlane = new ControlPlane(loads);
  private final String target;
  private final Sidecar sidecar;
  private final XdsNameResolverProvider resolver;
  private final Client outrigger;
  private final Client grpcJava;
  private final List<Cluster> clusters = new ArrayList<>();
  private final List<ClusterLoadAssignment> assignments = new ArrayList<>();
  private int version;

  /** What each answered. */
  record Answers(String outrigger, String grpcJava) {
    static Answers both(String answer) {
      return new Answers(answer, answer);
    }
  }

  /** Starts both for {@code xds:///target}. */
  Twins(String target) {
    this.target = target;
    sidecar = Sidecar.start(controlPlane.bootstrap("outrigger"), target);
    outrigger = new Client(sidecar.channel());
    String scheme = "oracle-" + schemes.incrementAndGet();
    resolver = XdsNameResolverProvider.createForTest(scheme, bootstrap(controlPlane.port()));
    NameResolverRegistry.getDefaultRegistry().register(resolver);
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(scheme + ":///" + target).usePlaintext().build();
    grpcJava = new Client(channel);
    cluster(
        MeshResources.cluster(MARKER),
        MeshResources.assignment(MARKER, MeshResources.locality("m", 0, 1, marker.port())));
  }

  /** A bootstrap for gRPC's client. */
  static Map<String, ?> bootstrap(int port) {
    return Map.of(
        "xds_servers",
        List.of(
            Map.of(
                "server_uri", "127.0.0.1:" + port,
                "channel_creds", List.of(Map.of("type", "insecure")),
                "server_features", List.of("xds_v3"))),
        "node",
        Map.of("id", "grpc-java"));
  }

  /** Adds a cluster, before anything is served. */
  void cluster(Cluster cluster, ClusterLoadAssignment assignment) {
    clusters.add(cluster);
    assignments.add(assignment);
  }

  /** Adds a plain cluster that has the name of its only backend. */
  void cluster(NamedBackend backend) {
    cluster(
        MeshResources.cluster(backend.name()),
        MeshResources.assignment(
            backend.name(), MeshResources.locality("a", 0, 1, backend.port())));
  }

  /** Serves {@code routes} to the target, and waits until both clients have them. */
  void serveRoutes(List<Route> routes) {
    serve(hosts(routes));
    awaitVersion();
  }

  /** One virtual host, of the target's name. */
  List<VirtualHost> hosts(List<Route> routes) {
    return List.of(MeshResources.host(target, routes));
  }

  /** Serves virtual hosts, and does not wait. */
  void serve(List<VirtualHost> hosts) {
    version++;
    controlPlane.serve(
        new ControlPlane.Mesh(
            MeshResources.listener(target),
            MeshResources.routes(hosts.stream().map(this::anchored).toList()),
            clusters,
            assignments),
        "r" + version,
        "c1");
  }

  /** Waits until both clients use what was served last, if one of its hosts is the target's. */
  void awaitVersion() {
    outrigger.awaitAnswer(versionRequest(), MARKER);
    grpcJava.awaitAnswer(versionRequest(), MARKER);
  }

  private Request versionRequest() {
    return Request.of("/oracle.Version/" + version);
  }

  private VirtualHost anchored(VirtualHost host) {
    var anchored = host.toBuilder().clearRoutes();
    anchored.addRoutes(MeshResources.route(MeshResources.path(versionRequest().path()), MARKER));
    for (Cluster cluster : clusters) {
      anchored.addRoutes(
          MeshResources.route(
              MeshResources.path("/oracle.Anchor/" + cluster.getName()), cluster.getName()));
    }
    return anchored.addAllRoutes(host.getRoutesList()).build();
  }

  /** Where both report their load: as node {@code outrigger} and as node {@code grpc-java}. */
  LoadServer loads() {
    return loads;
  }

  Client outrigger() {
    return outrigger;
  }

  Client grpcJava() {
    return grpcJava;
  }

  Answers ask(Request request) {
    return both(client -> client.ask(request));
  }

  /** Does the same with both. */
  Answers both(Function<Client, String> what) {
    return new Answers(what.apply(outrigger), what.apply(grpcJava));
  }

  @Override
  public void close() {
    outrigger.close();
    grpcJava.close();
    NameResolverRegistry.getDefaultRegistry().deregister(resolver);
    sidecar.close();
    controlPlane.close();
    marker.close();
  }
}
