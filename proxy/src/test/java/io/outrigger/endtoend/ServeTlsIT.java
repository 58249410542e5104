package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContextBuilder;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code --serve} with mutual TLS and RBAC from the control plane, the whole way. */
@Timeout(600)
class ServeTlsIT {
  private static final String METHOD = "test.Pay/Charge";
  private static final TestAuthority MESH = TestAuthority.named("mesh root");
  private static final TestIdentity PAY = MESH.issue("uri:spiffe://mesh/pay", "dns:pay.mesh");
  private static final TestIdentity ORDERS = MESH.issue("uri:spiffe://mesh/orders");
  private static final TestIdentity SHIP = MESH.issue("uri:spiffe://mesh/ship");

  private final Mesh mesh = new Mesh();
  private final RefusingPort port = mesh.keep(RefusingPort.any());
  private final Backend app = mesh.backend("app");

  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** A listener with mutual TLS, whose RBAC filter admits {@code spiffe://mesh/orders} alone. */
  private String listener() {
    String plain =
        Xds.serverListener(
            "inbound/127.0.0.1:" + port.number(),
            "127.0.0.1",
            port.number(),
            "\"route_config\":{\"name\":\"in\",\"virtual_hosts\":[{\"name\":\"h\",\"domains\":[\"*\"],"
                + "\"routes\":[{\"match\":{\"prefix\":\"/\"},\"non_forwarding_action\":{}}]}]}");
    String router = "{\"name\":\"router\"";
    String rbac =
        """
        {"name":"rbac","typed_config":{
          "@type":"type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
          "rules":{"action":"ALLOW","policies":{"orders":{"permissions":[{"any":true}],
            "principals":[{"authenticated":{"principal_name":{"exact":"spiffe://mesh/orders"}}}]}}}}},
        """;
    String tls =
        """
        "transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
          "require_client_certificate":true,"common_tls_context":{
            "tls_certificate_provider_instance":{"instance_name":"default"},
            "validation_context":{"ca_certificate_provider_instance":{"instance_name":"default"}}}}},
        """;
    String chain = "\"filter_chains\":[{";
    return plain.replace(router, rbac + router).replace(chain, chain + tls);
  }

  private void start() throws Exception {
    mesh.certificateProviders(
        """
        {"default":{"plugin_name":"file_watcher","config":{"certificate_file":"%1$s/chain.pem",
          "private_key_file":"%1$s/key.pem","ca_certificate_file":"%1$s/roots.pem",
          "refresh_interval":"1s"}}}"""
            .formatted(folder));
    mesh.controlPlane.serve(listener());
    mesh.with(Flag.FORWARD)
        .with(Flag.SERVE, "127.0.0.1:" + port.number() + "=127.0.0.1:" + app.port())
        .with(Flag.ACCESS_LOG, folder.resolve("access.log").toString())
        .with(Flag.PEER_HEADER, "x-forwarded-client-cert")
        .start();
  }

  private void writeFiles() throws IOException {
    Files.writeString(folder.resolve("key.pem"), PAY.keyPem());
    Files.writeString(folder.resolve("chain.pem"), PAY.chainPem());
    Files.writeString(folder.resolve("roots.pem"), MESH.rootPem());
  }

  private App.Reply call(@Nullable TestIdentity caller) throws Exception {
    SslContextBuilder tls =
        GrpcSslContexts.configure(SslContextBuilder.forClient()).trustManager(MESH.root());
    if (caller != null) {
      tls.keyManager(caller.key(), caller.chain());
    }
    try (var peer =
        App.secured(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()),
            "pay.mesh",
            tls.build())) {
      return peer.call(METHOD, "x-forwarded-client-cert", "By=somebody");
    }
  }

  private JsonObject explain(String peer) {
    String query = "path=/" + METHOD + "&authority=pay.mesh" + peer;
    return mesh.admin().get("/explain?serve=127.0.0.1:" + port.number() + "&" + query).object();
  }

  private List<String> lines() {
    try {
      return Files.readAllLines(folder.resolve("access.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonObject state() {
    return mesh.admin().get("/listeners").array().get(0).getAsJsonObject();
  }

  @Test
  @Conformance({"A41-13", "OPS-03"})
  void thePeerThatAPolicyNamesIsLetInAndNoOther() throws Exception {
    writeFiles();
    start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);

    assertThat(call(ORDERS).backend()).isEqualTo("app");
    List<String> told =
        app.heard().stream().map(call -> call.header("x-forwarded-client-cert")).toList();
    assertThat(told).singleElement().asString().contains("URI=spiffe://mesh/orders");
    assertThat(told.get(0)).doesNotContain("somebody");

    App.Reply refused = call(SHIP);
    assertThat(refused.code()).isEqualTo(Status.Code.PERMISSION_DENIED);
    assertThat(refused.local()).isEqualTo("denied");
    assertThat(call(null).code()).isEqualTo(Status.Code.UNAVAILABLE);
    Await.until(
        "the failed handshake is an event",
        () ->
            mesh.admin()
                .get("/events?format=json&since=0")
                .body()
                .contains("connection of caller 127.0.0.1:"));
    assertThat(app.started()).isEqualTo(1);
    assertThat(state().toString())
        .contains("\"tls\":true,\"client_certificate\":true,\"filters\":[\"rbac\",\"router\"]");
  }

  @Test
  @Conformance("OPS-07")
  void decisionsAndHandshakesAreCountedAndDenialsAreEvents() throws Exception {
    writeFiles();
    start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    call(ORDERS);
    call(SHIP);
    call(SHIP);
    call(null);
    Await.until("three lines are there", () -> lines().size() == 3);

    String address = "127.0.0.1:" + port.number();
    String rbac = "outrigger_rbac_decisions_total{filter=\"rbac\",policy=\"%s\",serve=\"%s\",";
    String metrics = mesh.admin().get("/metrics").body();
    assertThat(metrics)
        .contains(
            rbac.formatted("orders", address) + "verdict=\"allowed\"} 1.0\n",
            rbac.formatted("", address) + "verdict=\"denied\"} 2.0\n",
            "grpc_server_tls_handshakes_total{grpc_tls_handshake_result=\"SUCCESS\","
                + "grpc_tls_handshake_resumed=\"FULL_HANDSHAKE\"} 3.0\n",
            "outrigger_audit_log_dropped_total 0.0\n",
            "grpc_server_call_started_total{grpc_method=\"other\"} 3.0\n",
            "grpc_server_call_duration_seconds_count{grpc_method=\"other\",grpc_status=\"OK\"} 1\n",
            "grpc_server_call_sent_total_compressed_message_size_bytes_sum{"
                + "grpc_method=\"other\",grpc_status=\"OK\"} 3.0\n",
            "grpc_server_call_rcvd_total_compressed_message_size_bytes_sum{"
                + "grpc_method=\"other\",grpc_status=\"OK\"} 0.0\n",
            "grpc_server_call_rcvd_total_compressed_message_size_bytes_count{"
                + "grpc_method=\"other\",grpc_status=\"PERMISSION_DENIED\"} 2\n")
        .doesNotContain("grpc_client_attempt_started_total{");
    assertThat(lines().get(0))
        .contains(
            "\"serve\":\""
                + address
                + "\",\"peer\":\"spiffe://mesh/orders\",\"policy\":\"orders\"");
    assertThat(lines().get(1))
        .contains("\"peer\":\"spiffe://mesh/ship\",\"policy\":null", "\"local\":\"denied\"");
    String denial = "/test.Pay/Charge from spiffe://mesh/ship (127.0.0.1): no policy of filter";
    Await.until(
        "a denial is an event",
        () -> mesh.admin().get("/events?format=json&since=0").body().contains(denial));
  }

  @Test
  @Conformance({"A29S-04", "A29S-08"})
  void opensslIsServedWithItsCertificateAndHttp2Alone() throws Exception {
    assumeTrue(Tool.find("openssl").isPresent(), "there is no openssl");
    writeFiles();
    start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    Tool.write(folder.resolve("caller"), ORDERS);
    String[] shown = {"-cert", folder + "/caller-chain.pem", "-key", folder + "/caller-key.pem"};

    for (String version : List.of("-tls1_3", "-tls1_2")) {
      try (Tool good = sClient(version, "-alpn", "h2", shown[0], shown[1], shown[2], shown[3])) {
        good.awaitOutput("ALPN protocol: h2");
        good.awaitOutput("Verify return code: 0 (ok)");
        assertThat(good.isRunning()).isTrue();
      }
    }
    try (Tool renegotiates =
        sClient("-tls1_2", "-alpn", "h2", shown[0], shown[1], shown[2], shown[3])) {
      renegotiates.awaitOutput("ALPN protocol: h2");
      renegotiates.say("R\n");
      renegotiates.awaitEnd();
    }
    try (Tool http1 =
        sClient("-tls1_3", "-alpn", "http/1.1", shown[0], shown[1], shown[2], shown[3])) {
      assertThat(http1.awaitEnd()).contains("alert number 120"); // no_application_protocol
    }
    for (String version : List.of("-tls1_3", "-tls1_2")) {
      try (Tool nobody = sClient(version, "-alpn", "h2")) {
        assertThat(nobody.awaitEnd()).contains("alert");
      }
    }
    assertThat(app.started()).isZero();
    assertThat(call(ORDERS).backend()).isEqualTo("app");
  }

  private Tool sClient(String... more) throws IOException {
    List<String> command = new ArrayList<>(List.of("openssl", "s_client"));
    command.addAll(List.of("-connect", "127.0.0.1:" + port.number()));
    command.addAll(List.of("-CAfile", folder + "/roots.pem"));
    command.addAll(List.of(more));
    return Tool.start(folder, command);
  }

  @Test
  @Conformance("A29S-04")
  void envoyCallsWithItsCertificate() throws Exception {
    Optional<String> envoy = Tool.envoy();
    assumeTrue(envoy.isPresent(), "there is no Envoy");
    writeFiles();
    start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);

    for (TestIdentity caller : List.of(ORDERS, SHIP)) {
      Tool.write(folder.resolve("caller"), caller);
      try (var listen = RefusingPort.any();
          Tool running = envoy(envoy.get(), listen.number());
          var client =
              new App(new InetSocketAddress(InetAddress.getLoopbackAddress(), listen.number()))) {
        running.awaitOutput("starting main dispatch loop");
        assertDecided(client, caller);
      }
    }
  }

  private static void assertDecided(App client, TestIdentity caller) {
    App.Reply reply = client.call(METHOD);
    if (caller.equals(ORDERS)) {
      assertThat(reply.backend()).isEqualTo("app");
    } else {
      assertThat(reply.code()).isEqualTo(Status.Code.PERMISSION_DENIED);
    }
  }

  @Test
  @Conformance("A29S-04")
  void nginxCallsWithItsCertificate() throws Exception {
    Optional<String> nginx = Tool.find("nginx");
    assumeTrue(nginx.isPresent(), "there is no nginx");
    writeFiles();
    start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    String pass =
        """
        grpc_pass grpcs://127.0.0.1:%1$d;
        grpc_ssl_protocols TLSv1.3;
        grpc_ssl_trusted_certificate %2$s/roots.pem;
        grpc_ssl_verify on;
        grpc_ssl_name pay.mesh;
        """
            .formatted(port.number(), folder);
    String shown =
        """
        grpc_ssl_certificate %1$s/caller-chain.pem;
        grpc_ssl_certificate_key %1$s/caller-key.pem;
        """
            .formatted(folder);

    for (TestIdentity caller : List.of(ORDERS, SHIP)) {
      Tool.write(folder.resolve("caller"), caller);
      try (RealServer running = InstalledServers.nginx(nginx.get(), "", "http2;", pass + shown);
          var client = new App(running.address())) {
        assertDecided(client, caller);
      }
    }
    try (RealServer nobody = InstalledServers.nginx(nginx.get(), "", "http2;", pass);
        var client = new App(nobody.address())) {
      assertThat(client.call(METHOD).code()).isEqualTo(Status.Code.UNAVAILABLE); // 502
    }
    assertThat(app.started()).isEqualTo(1);
  }

  /** An Envoy that shows {@code caller-chain.pem} to the served address. */
  private Tool envoy(String program, int listen) throws IOException {
    Path config = folder.resolve("envoy.yaml");
    Files.writeString(
        config,
        """
        static_resources:
          listeners:
          - name: in
            address: {socket_address: {address: 127.0.0.1, port_value: LISTEN}}
            filter_chains:
            - filters:
              - name: http
                typed_config:
                  "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                  stat_prefix: in
                  codec_type: HTTP2
                  route_config:
                    virtual_hosts:
                    - {name: all, domains: ["*"], routes: [{match: {prefix: "/"}, route: {cluster: pay}}]}
                  http_filters:
                  - name: router
                    typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
          clusters:
          - name: pay
            type: STATIC
            load_assignment:
              cluster_name: pay
              endpoints:
              - lb_endpoints:
                - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: SERVED}}}
            typed_extension_protocol_options:
              envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                explicit_http_config: {http2_protocol_options: {}}
            transport_socket:
              name: envoy.transport_sockets.tls
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
                common_tls_context:
                  alpn_protocols: [h2]
                  tls_certificates:
                  - certificate_chain: {filename: FOLDER/caller-chain.pem}
                    private_key: {filename: FOLDER/caller-key.pem}
                  validation_context: {trusted_ca: {filename: FOLDER/roots.pem}}
        """
            .replace("LISTEN", Integer.toString(listen))
            .replace("SERVED", Integer.toString(port.number()))
            .replace("FOLDER", folder.toString()));
    return Tool.start(
        folder,
        List.of(program, "-c", config.toString(), "--concurrency", "1", "--disable-hot-restart"));
  }

  @Test
  @Conformance("A29S-02")
  void anIdentityThatIsNotThereYetKeepsThePortOpen() throws Exception {
    start();
    Await.until("the port is open", () -> state().get("state").getAsString().equals("SERVING"));
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    assertThat(mesh.admin().get("/ready").body()).contains("chain.pem");
    assertThat(call(ORDERS).code()).isEqualTo(Status.Code.UNAVAILABLE);

    writeFiles();

    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    assertThat(call(ORDERS).backend()).isEqualTo("app");
  }

  @Test
  @Conformance("OPS-06")
  void anExplanationSaysWhatTheCallOfAPeerGets() throws Exception {
    writeFiles();
    start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);

    JsonObject orders = explain("&peer=spiffe://mesh/orders");
    assertThat(orders.get("verdict").getAsString()).isEqualTo("allowed");
    assertThat(orders.get("tls").getAsBoolean()).isTrue();
    assertThat(orders.get("filters").toString())
        .isEqualTo(
            "[{\"name\":\"rbac\",\"action\":\"ALLOW\",\"verdict\":\"allowed\",\"policy\":\"orders\"}]");
    JsonObject ship = explain("&peer=spiffe://mesh/ship");
    assertThat(ship.get("verdict").getAsString()).isEqualTo("denied");
    assertThat(ship.get("reason").getAsString())
        .isEqualTo("no policy of filter \"rbac\" allows the request");
    JsonObject unknown = explain("");
    assertThat(unknown.get("verdict").getAsString()).isEqualTo("failed");
    assertThat(unknown.get("reason").getAsString()).contains("requires a client certificate");
    assertThat(app.started()).isZero();

    assertThat(call(ORDERS).backend()).isEqualTo("app");
    assertThat(call(SHIP).local()).isEqualTo("denied");
    assertThat(call(null).code()).isEqualTo(Status.Code.UNAVAILABLE);
  }
}
