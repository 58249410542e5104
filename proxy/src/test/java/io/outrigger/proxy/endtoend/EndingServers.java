package io.outrigger.proxy.endtoend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
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
    RealServer server =
        RealServer.start(
            (folder, port) -> {
              Path config = folder.resolve("nginx.conf");
              Files.writeString(
                  config,
                  """
                  daemon off;
                  user root;
                  worker_processes 1;
                  pid %1$s/pid;
                  error_log stderr error;
                  events { worker_connections 1024; }
                  http {
                    access_log off;
                    client_body_temp_path %1$s/body;
                    proxy_temp_path %1$s/proxy;
                    fastcgi_temp_path %1$s/fastcgi;
                    uwsgi_temp_path %1$s/uwsgi;
                    scgi_temp_path %1$s/scgi;
                    %3$s
                    server {
                      listen 127.0.0.1:%2$d http2;
                      location / {
                        default_type application/grpc;
                        add_header grpc-status 0;
                        return 200;
                      }
                    }
                  }
                  """
                      .formatted(folder, port, limit));
              return List.of(
                  program, "-e", "stderr", "-p", folder.toString(), "-c", config.toString());
            });
    return mesh.keep(server).address();
  }

  private static InetSocketAddress haproxy(Mesh mesh, String program) throws IOException {
    RealServer server =
        RealServer.start(
            (folder, port) -> {
              Path config = folder.resolve("haproxy.cfg");
              Files.writeString(
                  config,
                  """
                  defaults
                    mode http
                    timeout client 60s
                    timeout connect 5s
                    timeout server 60s
                  frontend in
                    bind 127.0.0.1:%d proto h2
                    stick-table type ip size 100 store conn_cur
                    tcp-request connection track-sc0 src
                    tcp-request connection reject if { sc0_conn_cur gt 1 }
                    http-request return status 200 hdr grpc-status 0
                    http-after-response set-header content-type application/grpc
                  """
                      .formatted(port));
              return List.of(program, "-db", "-f", config.toString());
            });
    return mesh.keep(server).address();
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
