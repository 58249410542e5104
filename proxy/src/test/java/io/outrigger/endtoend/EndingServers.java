package io.outrigger.endtoend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Real servers that limit their connections: how many calls one carries, how long it lasts, how
 * many a client may have. They answer every gRPC call with OK, most of them without a message.
 */
final class EndingServers {
  /** One of them, started. */
  interface Starter {
    /** Starts it; it ends with {@code mesh}. */
    InetSocketAddress start(Mesh mesh) throws IOException;
  }

  /**
   * How to start one.
   *
   * @param name what it is and what it limits
   * @param program absent: it is part of the tests
   * @param connections how many a client may have
   */
  record Kind(String name, String program, int connections, Starter starter) {}

  private static final int ANY = Integer.MAX_VALUE;

  private EndingServers() {}

  /** All of them; those whose program is an empty path cannot be started. */
  static List<Kind> of(String nginx, String haproxy, String envoy) {
    return List.of(
        new Kind(
            "nginx, as installed (1,000 calls a connection)",
            nginx,
            ANY,
            mesh -> nginx(mesh, nginx, "")),
        new Kind(
            "nginx, keepalive_requests 60",
            nginx,
            ANY,
            mesh -> nginx(mesh, nginx, "keepalive_requests 60;")),
        new Kind("haproxy, one connection a client", haproxy, 1, mesh -> haproxy(mesh, haproxy)),
        new Kind("envoy, max_requests_per_connection 100", envoy, ANY, mesh -> envoy(mesh, envoy)),
        new Kind("grpc-java, MAX_CONNECTION_AGE 1 s", "java", ANY, EndingServers::grpcJava));
  }

  private static InetSocketAddress nginx(Mesh mesh, String program, String limit)
      throws IOException {
    return mesh.keep(InstalledServers.nginx(program, limit, "http2;", InstalledServers.OK))
        .address();
  }

  private static InetSocketAddress haproxy(Mesh mesh, String program) throws IOException {
    String limit =
        """
          stick-table type ip size 100 store conn_cur
          tcp-request connection track-sc0 src
          tcp-request connection reject if { sc0_conn_cur gt 1 }
        """;
    return mesh.keep(InstalledServers.haproxy(program, "proto h2", limit, "")).address();
  }

  /** Before a backend that limits nothing. */
  private static InetSocketAddress envoy(Mesh mesh, String program) throws IOException {
    Backend behind = mesh.backend("a").quiet();
    Envoy server =
        Envoy.start(
            Path.of(program),
            "\"max_requests_per_connection\":100",
            "",
            List.of(Xds.routesTo("routes", "A"), Xds.cluster("A"), Xds.endpoints("A", behind)));
    return mesh.keep(server).address();
  }

  private static InetSocketAddress grpcJava(Mesh mesh) {
    Backend server =
        mesh.absentBackend("a")
            .quiet()
            .aging(Duration.ofSeconds(1), Duration.ofSeconds(5))
            .revive();
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }
}
