package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that do in TLS what no honest one does: the attempt fails with a reason, and calls
 * elsewhere go on.
 */
@Timeout(300)
@ParameterizedClass
@EnumSource
class TlsAttackIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("mesh root");
  private static final TestIdentity PAY = AUTHORITY.issue("uri:spiffe://mesh/pay");

  /** The first half of the record of a ServerHello. */
  private static final byte[] HALF_A_SERVER_HELLO = {
    0x16, 0x03, 0x03, 0x00, 0x7A, 0x02, 0x00, 0x00, 0x76, 0x03, 0x03, 1, 2, 3, 4, 5, 6, 7, 8
  };

  private final TlsLibrary library;
  private final Mesh mesh = new Mesh();

  @TempDir private Path folder;

  TlsAttackIT(TlsLibrary library) {
    this.library = library;
  }

  @BeforeEach
  void configure() throws Exception {
    library.use();
    Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    mesh.certificateProviders(
        """
        {"default":{"plugin_name":"file_watcher","config":{
          "ca_certificate_file":"%s/roots.pem"}}}\
        """
            .formatted(folder));
  }

  @AfterEach
  void close() {
    try {
      mesh.close();
    } finally {
      library.leave();
    }
  }

  private static String secured(String name) {
    String cluster = Xds.cluster(name);
    return cluster.substring(0, cluster.lastIndexOf('}'))
        + """
        ,"transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
          "common_tls_context":{"validation_context":{
            "ca_certificate_provider_instance":{"instance_name":"default"}}}}}}\
        """;
  }

  /** The message of a call to {@code server}; another cluster has calls all the while. */
  private String failureOf(AcceptingPort server) throws Exception {
    mesh.keep(server);
    Backend honest = mesh.backend("honest").quiet();
    mesh.controlPlane.serve(
        secured("A"),
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(server.number()))),
        Xds.cluster("B"),
        Xds.endpoints("B", Xds.locality("z", 0, 1, List.of(honest.port()))),
        Xds.listener("orders", "routes"),
        Xds.routes("routes", Xds.host("*", Xds.route("/pay.Pay/", "A"), Xds.route("/", "B"))));
    mesh.startReady();
    try (var load = mesh.load(mesh.app(), "orders.Orders/Do", 100)) {
      App.Reply reply = mesh.app().call("pay.Pay/Do");
      load.awaitMore("honest", 10);
      assertThat(load.failures()).isEmpty();
      assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
      return reply.message();
    }
  }

  /** Says nothing more, until the client has had enough. */
  private static void listen(Socket client) throws IOException {
    var unused = client.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
  }

  @Test
  void halfAServerHelloIsWaitedForNoLongerThanAConnection() throws Exception {
    mesh.with(Flag.CONNECT_TIMEOUT, "5s"); // the other cluster connects within it, too

    assertThat(
            failureOf(
                new AcceptingPort(
                    client -> {
                      client.getOutputStream().write(HALF_A_SERVER_HELLO);
                      listen(client);
                    })))
        .contains("TLS handshake timed out after 5000ms");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        "\0\0\0\4\0\0\0\0\0", // SETTINGS of HTTP/2
        "\u00FF\u00FE\u00FD\u00FC\u00FB\u00FA\u00F9"
      })
  void whatIsNoTlsIsNamedAsSuch(String answer) throws Exception {
    assertThat(
            failureOf(
                new AcceptingPort(
                    client -> {
                      client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                      listen(client);
                    })))
        .contains("TLS handshake failed: the server answered in plain text");
  }

  @Test
  void aChainOfAHundredIsRefused() throws Exception {
    TestAuthority issuer = AUTHORITY;
    for (int i = 0; i < 99; i++) {
      issuer = issuer.intermediate("intermediate " + i);
    }
    TestIdentity deep = issuer.issue("uri:spiffe://mesh/pay");

    assertThat(failureOf(HostileServer.secured(deep, "TLSv1.3", TlsAttackIT::listen)))
        .contains(
            library == TlsLibrary.JDK
                ? "TLS handshake failed: The certificate chain length (11) exceeds"
                : "does not lead to a root; the last of its chain was issued by"
                    + " \"CN=intermediate 89\""); // of more than ten the rest is not read
  }

  @Test
  void sixteenMegabytesOfCertificatesAreRefused() throws Exception {
    TestIdentity huge =
        AUTHORITY.issue(
            builder ->
                builder.addExtensionOctetString("1.3.6.1.4.1.99999.1", false, new byte[15 << 20]),
            "uri:spiffe://mesh/pay");

    assertThat(failureOf(HostileServer.secured(huge, "TLSv1.3", TlsAttackIT::listen)))
        .contains(
            library == TlsLibrary.JDK
                ? "TLS handshake failed: The size of the handshake message (157"
                : "TLS handshake failed: excessive message size");
  }

  @Test
  void aRenegotiationIsRefused() throws Exception {
    assertThat(
            failureOf(
                HostileServer.secured(
                    PAY,
                    "TLSv1.2",
                    client -> {
                      client.startHandshake(); // a HelloRequest
                      listen(client);
                    })))
        .contains("the server asks for a TLS renegotiation");
  }

  @Test
  void aFloodOfKeyUpdatesIsEnded() throws Exception {
    assertThat(
            failureOf(
                HostileServer.secured(
                    PAY,
                    "TLSv1.3",
                    client -> {
                      while (true) {
                        client.startHandshake(); // a KeyUpdate
                      }
                    })))
        .contains("the server sends too many TLS records without data");
  }
}
