package io.outrigger.endtoend;

import io.grpc.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Real servers that demand a certificate of their callers. They answer every gRPC call with OK and
 * say in {@value #PEER} who has called.
 */
final class TlsServers {
  static final String PEER = "x-peer";

  /** One of them, started. */
  interface Starter {
    /** Starts it with the server's certificate of {@code files}; it ends with {@code mesh}. */
    InetSocketAddress start(Mesh mesh, TlsFiles files) throws IOException;
  }

  /**
   * How to start one.
   *
   * @param program absent where it is empty
   * @param toStrangers how calls end whose caller's certificate it does not accept
   */
  record Kind(String name, String program, Status.Code toStrangers, Starter starter) {}

  private TlsServers() {}

  /** All of them; those whose program is an empty path cannot be started. */
  static List<Kind> of(String nginx, String haproxy, String envoy) {
    return List.of(
        new Kind(
            "envoy, require_client_certificate",
            envoy,
            Status.Code.UNAVAILABLE,
            (mesh, files) -> envoy(mesh, envoy, files)),
        new Kind(
            "nginx, ssl_verify_client on",
            nginx,
            Status.Code.INTERNAL, // it ends the handshake well, and answers requests with 400
            (mesh, files) -> nginx(mesh, nginx, files)),
        new Kind(
            "haproxy, verify required",
            haproxy,
            Status.Code.UNAVAILABLE,
            (mesh, files) -> haproxy(mesh, haproxy, files)));
  }

  /** Before a backend in plain text. */
  private static InetSocketAddress envoy(Mesh mesh, String program, TlsFiles files)
      throws IOException {
    Backend behind = mesh.backend("a").quiet();
    String socket =
        """
        {"name":"tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
          "require_client_certificate":true,"common_tls_context":{"alpn_protocols":["h2"],
            "tls_certificates":[{"certificate_chain":{"filename":"%s"},
              "private_key":{"filename":"%s"}}],
            "validation_context":{"trusted_ca":{"filename":"%s"}}}}}"""
            .formatted(files.serverChain(), files.serverKey(), files.roots());
    String routes = Xds.routesTo("routes", "A");
    String telling =
        routes.substring(0, routes.lastIndexOf('}'))
            + """
            ,"response_headers_to_add":[{"header":{"key":"%s",
              "value":"%%DOWNSTREAM_PEER_URI_SAN%%"}}]}"""
                .formatted(PEER);
    Envoy server =
        Envoy.start(
            Path.of(program),
            "",
            socket,
            List.of(telling, Xds.cluster("A"), Xds.endpoints("A", behind)));
    return mesh.keep(server).address();
  }

  private static InetSocketAddress nginx(Mesh mesh, String program, TlsFiles files)
      throws IOException {
    String listen =
        """
        ssl http2;
              ssl_certificate %s;
              ssl_certificate_key %s;
              ssl_client_certificate %s;
              ssl_verify_client on;"""
            .formatted(files.serverChain(), files.serverKey(), files.roots());
    String answer = "add_header %s $ssl_client_s_dn; ".formatted(PEER) + InstalledServers.OK;
    return mesh.keep(InstalledServers.nginx(program, "", listen, answer)).address();
  }

  private static InetSocketAddress haproxy(Mesh mesh, String program, TlsFiles files)
      throws IOException {
    String bind =
        "ssl crt %s ca-file %s verify required alpn h2"
            .formatted(files.serverPair(), files.roots());
    String peer = "hdr %s %%[ssl_c_s_dn(CN)]".formatted(PEER);
    return mesh.keep(InstalledServers.haproxy(program, bind, "", peer)).address();
  }

  /** Agrees to HTTP/2 and to the caller's certificate, and says nothing after the handshake. */
  static InetSocketAddress silent(Mesh mesh, String openssl, TlsFiles files) throws IOException {
    RealServer server =
        RealServer.start(
            (folder, port) ->
                List.of(
                    openssl,
                    "s_server",
                    "-accept",
                    "127.0.0.1:" + port,
                    "-cert",
                    files.serverChain().toString(),
                    "-key",
                    files.serverKey().toString(),
                    "-CAfile",
                    files.roots().toString(),
                    "-Verify",
                    "1",
                    "-verify_return_error",
                    "-alpn",
                    "h2",
                    "-quiet"));
    return mesh.keep(server).address();
  }
}
