package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.IstioCaServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Certificates of an istio CA that is a script, for a forward and for a served address. */
@Conformance("IST-05")
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class IstioCaIT {
  private static final String ID = "uri:spiffe://cluster.local/ns/shop/sa/shop";
  private static final String METHOD = "test.Pay/Charge";
  private static final TestAuthority MESH = TestAuthority.named("mesh root");
  private static final TestAuthority OTHERS = TestAuthority.named("others");
  private static final TestIdentity ISTIOD = MESH.issue("ip:127.0.0.1");
  private static final TestIdentity PAY = MESH.issue("uri:spiffe://cluster.local/ns/shop/sa/pay");

  private final Mesh mesh = new Mesh();
  private final RefusingPort port = mesh.keep(RefusingPort.any());
  private final IstioCaServer ca = mesh.keep(new IstioCaServer(ISTIOD));

  @TempDir private Path folder;

  @BeforeEach
  void configure() throws Exception {
    Files.writeString(folder.resolve("token"), "first");
    Files.writeString(folder.resolve("root.pem"), MESH.rootPem());
    mesh.certificateProviders(
        """
        {"default":{"plugin_name":"istio_ca","config":{"ca_address":"%s",
          "ca_root_file":"%s/root.pem","token_file":"%s/token","cluster_id":"Kubernetes"}}}"""
            .formatted(ca.address(), folder, folder));
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private void signing(Duration life) {
    ca.signing(MESH, life, ID, "dns:shop");
  }

  private Backend secured() throws Exception {
    Backend backend =
        mesh.keep(
            Backend.absent("pay")
                .speaking(
                    GrpcSslContexts.configure(
                            SslContextBuilder.forServer(PAY.key(), PAY.chain())
                                .trustManager(MESH.root())
                                .clientAuth(ClientAuth.REQUIRE),
                            SslProvider.JDK)
                        .build())
                .revive());
    mesh.controlPlane.serve(
        Xds.secureCluster("A", ""),
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(backend.port()))),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    return backend;
  }

  private JsonObject provider() {
    return mesh.admin().get("/certs").array().get(0).getAsJsonObject();
  }

  private String serial() {
    return provider()
        .getAsJsonArray("certificates")
        .get(0)
        .getAsJsonObject()
        .get("serial")
        .getAsString();
  }

  private void awaitError(String text) {
    Await.until(text, () -> provider().toString(), () -> provider().toString().contains(text));
  }

  @Test
  void aSidecarIsReadyWithItsFirstCertificate() throws Exception {
    ca.refusing(Status.UNAUTHENTICATED.withDescription("request authenticate failure"));
    secured();
    mesh.start();
    awaitError("UNAUTHENTICATED: request authenticate failure");
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    assertThat(mesh.admin().get("/ready").body())
        .contains("certificate provider \"default\": no certificates yet: the CA " + ca.address());
    App.Reply failed = mesh.app().call(METHOD);
    assertThat(failed.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(failed.status().getDescription()).contains("request authenticate failure");

    signing(Duration.ofHours(24));

    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    Await.until("calls succeed", () -> mesh.app().call(METHOD).status().isOk());
    assertThat(provider().get("plugin").getAsString()).isEqualTo("istio_ca");
    assertThat(provider().get("error").isJsonNull()).isTrue();
    assertThat(provider().getAsJsonArray("roots")).hasSize(1);
    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_certificate_expiration_timestamp_seconds{instance=\"default\"}");
  }

  @Test
  void renewalsUseANewTokenAndCostNoCall() throws Exception {
    signing(Duration.ofSeconds(16)); // the other token is there before it is renewed
    secured().quiet();
    mesh.startReady();
    String first = serial();
    Files.writeString(folder.resolve("token"), "second");
    Await.until("calls succeed", () -> mesh.app().call(METHOD).status().isOk());

    try (var load = mesh.load(mesh.app(), METHOD, 100)) {
      Await.until("it is renewed", () -> !serial().equals(first));
      load.awaitMore("pay", 10);
      String second = serial();
      Await.until("it is renewed again", () -> !serial().equals(second));
      load.awaitMore("pay", 10);
      assertThat(load.failures()).isEmpty();
    }
    assertThat(ca.requests().get(0).authorization()).isEqualTo("Bearer first");
    assertThat(ca.requests().get(1).authorization()).isEqualTo("Bearer second");
    assertThat(ca.requests().get(1).csr()).isNotEqualTo(ca.requests().get(0).csr());
  }

  @Test
  void aRestartedCaWithOtherRootsIsBelievedWhenTheFileSaysSo() throws Exception {
    signing(Duration.ofSeconds(30));
    secured();
    mesh.startReady();
    String first = serial();
    ca.kill();
    ca.revive(OTHERS.issue("ip:127.0.0.1"));

    awaitError("certificate verify failed");
    assertThat(serial()).isEqualTo(first);
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("pay");
    Files.writeString(folder.resolve("root.pem"), OTHERS.rootPem());

    Await.until("it is renewed", () -> !serial().equals(first));
    assertThat(provider().get("error").isJsonNull()).isTrue();
  }

  @Test
  void aServedAddressHasNoCertificateAfterItsEnd() throws Exception {
    signing(Duration.ofSeconds(15));
    Backend app = mesh.backend("app");
    mesh.controlPlane.serve(inbound());
    mesh.with(Flag.FORWARD)
        .with(Flag.SERVE, "127.0.0.1:" + port.number() + "=127.0.0.1:" + app.port())
        .start();
    Await.until("ready", () -> mesh.admin().get("/ready").status() == 200);
    assertThat(call().backend()).isEqualTo("app");

    ca.kill();
    awaitError("the certificate has expired at ");

    assertThat(provider().getAsJsonArray("certificates")).isEmpty();
    assertThat(provider().getAsJsonArray("roots")).hasSize(1);
    Await.until(
        "no longer ready", () -> mesh.admin().get("/ready").body().contains("has expired at "));
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    assertThat(call().status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);

    signing(Duration.ofHours(1));
    ca.revive();
    Await.until("ready again", () -> mesh.admin().get("/ready").status() == 200);
    assertThat(call().backend()).isEqualTo("app");
  }

  /** The Listener that istiod sends for a pod in a STRICT mesh. */
  private String inbound() {
    String plain =
        Xds.serverListener(
            "inbound/127.0.0.1:" + port.number(),
            "127.0.0.1",
            port.number(),
            "\"route_config\":{\"name\":\"inbound\",\"virtual_hosts\":[{\"name\":\"h\",\"domains\":[\"*\"],"
                + "\"routes\":[{\"match\":{\"prefix\":\"/\"},\"non_forwarding_action\":{}}]}]}");
    String tls =
        """
        "transport_socket":{"name":"envoy.transport_sockets.tls","typed_config":{"@type":
          "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
          "require_client_certificate":true,"common_tls_context":{
            "tls_certificate_provider_instance":{"instance_name":"default"},
            "validation_context":{"ca_certificate_provider_instance":{"instance_name":"default"}}}}},
        """;
    String chain = "\"filter_chains\":[{";
    return plain.replace(chain, chain + tls);
  }

  private App.Reply call() throws Exception {
    try (var peer =
        App.secured(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port.number()),
            "shop",
            GrpcSslContexts.configure(SslContextBuilder.forClient())
                .trustManager(MESH.root())
                .keyManager(PAY.key(), PAY.chain())
                .build())) {
      return peer.call(METHOD);
    }
  }
}
