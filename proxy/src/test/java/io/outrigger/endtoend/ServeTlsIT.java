package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
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
                .contains("connection of caller /127.0.0.1:"));
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
    String events = mesh.admin().get("/events?format=json&since=0").body();
    assertThat(events)
        .contains("/test.Pay/Charge from spiffe://mesh/ship (127.0.0.1): no policy of filter");
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
