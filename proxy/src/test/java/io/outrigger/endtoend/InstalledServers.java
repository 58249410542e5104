package io.outrigger.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Servers of other projects, most of which answer each gRPC call with OK and no message. */
final class InstalledServers {
  /** The directives of nginx for such an answer. */
  static final String OK = "default_type application/grpc; add_header grpc-status 0; return 200;";

  private InstalledServers() {}

  /**
   * Starts nginx.
   *
   * @param http directives of the block of that name
   * @param listen what stands behind the port, with the semicolon, and further ones of the server
   * @param location directives that say how all requests are answered
   */
  static RealServer nginx(String program, String http, String listen, String location)
      throws IOException {
    return RealServer.start(
        (folder, port) -> {
          Path config = folder.resolve("nginx.conf");
          Files.writeString(
              config,
              """
              daemon off;
              user root;
              worker_processes 1;
              pid %1$s/pid;
              error_log stderr crit;
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
                  listen 127.0.0.1:%2$d %4$s
                  location / {
                    %5$s
                  }
                }
              }
              """
                  .formatted(folder, port, http, listen, location));
          return List.of(program, "-e", "stderr", "-p", folder.toString(), "-c", config.toString());
        });
  }

  /**
   * Starts haproxy.
   *
   * @param bind what stands behind the port
   * @param frontend lines of the frontend before its answer, indented
   * @param answer further fields of the answer
   */
  static RealServer haproxy(String program, String bind, String frontend, String answer)
      throws IOException {
    return RealServer.start(
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
                bind 127.0.0.1:%d %s
              %s  http-request return status 200 hdr grpc-status 0 %s
                http-after-response set-header content-type application/grpc
              """
                  .formatted(port, bind, frontend, answer));
          return List.of(program, "-db", "-f", config.toString());
        });
  }
}
