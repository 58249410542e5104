package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS to backends (A29): calls over it, what fails and why, and certificates that change. */
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedClass
@EnumSource
class TlsIT {
  private static final TestAuthority AUTHORITY = TestAuthority.named("mesh root");
  private static final TestAuthority STRANGER = TestAuthority.named("another root");
  private static final TestIdentity ORDERS = AUTHORITY.issue("uri:spiffe://mesh/orders");
  private static final TestIdentity PAY = AUTHORITY.issue("uri:spiffe://mesh/pay", "dns:pay.mesh");

  private final TlsLibrary library;
  private final Mesh mesh = new Mesh();

  @TempDir private Path folder;

  TlsIT(TlsLibrary library) {
    this.library = library;
  }

  @BeforeEach
  void configure() throws Exception {
    library.use();
    mesh.certificateProviders(
        """
        {"default":{"plugin_name":"file_watcher","config":{"certificate_file":"%1$s/chain.pem",
          "private_key_file":"%1$s/key.pem","ca_certificate_file":"%1$s/roots.pem"}}}\
        """
            .formatted(folder));
    write(ORDERS, AUTHORITY);
  }

  @AfterEach
  void close() {
    try {
      mesh.close();
    } finally {
      library.leave();
    }
  }

  private void write(TestIdentity identity, TestAuthority... roots) throws IOException {
    var pem = new StringBuilder();
    for (TestAuthority root : roots) {
      pem.append(root.rootPem());
    }
    Files.writeString(folder.resolve("key.pem"), identity.keyPem());
    Files.writeString(folder.resolve("chain.pem"), identity.chainPem());
    Files.writeString(folder.resolve("roots.pem"), pem);
  }

  /** A server that demands a certificate of our authority. */
  private static SslContext mutual(TestIdentity identity) throws SSLException {
    return GrpcSslContexts.configure(server(identity), SslProvider.JDK).build();
  }

  private static SslContextBuilder server(TestIdentity identity) {
    return SslContextBuilder.forServer(identity.key(), identity.chain())
        .trustManager(AUTHORITY.root())
        .clientAuth(ClientAuth.REQUIRE);
  }

  private Backend secured(String name, TestIdentity identity) throws SSLException {
    return mesh.keep(Backend.absent(name).speaking(mutual(identity)).revive());
  }

  private static String cluster(String matchers) {
    return Xds.secureCluster("A", matchers);
  }

  private static String uri(String exact) {
    return Xds.uri(exact);
  }

  private void serve(String cluster, Backend backend) {
    serve(cluster, backend.port());
  }

  private void serve(String cluster, int port) {
    mesh.controlPlane.serve(
        cluster,
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(port))),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }

  /** Servers such as Kestrel refuse {@code :scheme: http} over TLS. */
  @Conformance("SC-32")
  @Test
  void callsAndLoadReportsNameTheSchemeHttps() throws Exception {
    try (var backend = AnsweringBackend.over(mutual(PAY))) {
      String reporting =
          cluster(uri("spiffe://mesh/pay"))
              .replace(
                  "\"type\":\"EDS\",",
                  """
                  "type":"EDS","load_balancing_policy":{"policies":[{"typed_extension_config":{
                    "name":"wrr","typed_config":{"@type":"type.googleapis.com/envoy.extensions.\
                  load_balancing_policies.client_side_weighted_round_robin.v3.\
                  ClientSideWeightedRoundRobin","enable_oob_load_report":true}}}]},""");
      serve(reporting, backend.port());
      mesh.startReady();

      var unused = mesh.app().call("pay.Pay/Do");

      String reports = "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics";
      Await.until(
          "a report call", () -> backend.targets().stream().anyMatch(t -> t.endsWith(reports)));
      assertThat(backend.targets())
          .contains("https://orders/pay.Pay/Do")
          .allMatch(target -> target.startsWith("https://"));
    }
  }

  @Conformance({"A29-01", "A29-03", "A118-01"})
  @Test
  void aCallGoesOverMutualTls() throws Exception {
    serve(cluster(uri("spiffe://mesh/pay")), secured("a", PAY));
    mesh.startReady();

    assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
    assertThat(mesh.admin().get("/lb").body())
        .contains("\"protocol\": \"TLSv1.3\"", "\"peer\": \"spiffe://mesh/pay\"")
        .contains("\"peer_expires\": \"" + PAY.certificate().getNotAfter().toInstant());
    assertThat(mesh.admin().get("/explain?forward=orders&path=/pay.Pay/Do").body())
        .contains("\"roots\": \"default\"", "\"identity\": \"default\"", "spiffe://mesh/pay");
    String metrics = mesh.admin().get("/metrics").body();
    assertThat(metrics.lines().filter(line -> line.startsWith("grpc_client_tls_handshakes_total")))
        .singleElement()
        .asString()
        .contains("grpc_tls_handshake_result=\"SUCCESS\"");
    assertThat(metrics.lines().filter(line -> line.startsWith("grpc_subchannel_open_connections")))
        .singleElement()
        .asString()
        .contains("grpc_security_level=\"privacy_and_integrity\"");
  }

  /** Newer ones are what all other tests speak. */
  @Conformance("A29-21")
  @Test
  void aServerOfTls12IsSpokenTo() throws Exception {
    SslContext old =
        GrpcSslContexts.configure(server(PAY).protocols("TLSv1.2"), SslProvider.JDK).build();
    serve(cluster(""), mesh.keep(Backend.absent("a").speaking(old).revive()));
    mesh.startReady();

    assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
    assertThat(mesh.admin().get("/lb").body()).contains("\"protocol\": \"TLSv1.2\"");
  }

  @Conformance("A29-22")
  @Test
  void resourceFilesAskForTlsAsAControlPlaneDoes() throws Exception {
    Backend backend = secured("a", PAY);
    Path resources = Files.createDirectory(folder.resolve("resources"));
    Files.writeString(
        resources.resolve("all.json"),
        "{\"resources\":["
            + String.join(
                ",",
                cluster(uri("spiffe://mesh/pay")),
                Xds.endpoints("A", backend),
                Xds.listener("orders", "routes"),
                Xds.routesTo("routes", "A"))
            + "]}");
    Path bootstrap = Files.writeString(folder.resolve("bootstrap.json"), mesh.bootstrap());
    mesh.with(Flag.RESOURCES, resources.toString())
        .with(Flag.BOOTSTRAP, bootstrap.toString())
        .startReady();

    assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
  }

  private String failure() {
    App.Reply reply = mesh.app().call("pay.Pay/Do");
    assertThat(reply.code()).isEqualTo(Status.Code.UNAVAILABLE);
    return reply.message();
  }

  @Conformance("A29-06")
  @Test
  void aServerOfAnotherRootIsRefusedWithTheReason() throws Exception {
    Backend backend =
        mesh.keep(
            Backend.absent("a").speaking(mutual(STRANGER.issue("uri:spiffe://mesh/pay"))).revive());
    serve(cluster(""), backend);
    mesh.startReady();

    assertThat(failure())
        .contains("127.0.0.1:" + backend.port() + ": certificate verify failed: ")
        .contains("does not lead to a root");
  }

  /** A host name of that length is not sent, as grpc-go does; BoringSSL would not take it. */
  @Conformance("A101-01")
  @Test
  void aHostNameThatIsTooLongForTheExtensionFailsNoCall() throws Exception {
    Backend backend = secured("a", PAY);
    mesh.controlPlane.serve(
        cluster("")
            .replace("\"common_tls_context\"", "\"auto_host_sni\":true,\"common_tls_context\""),
        Xds.endpoints("A", backend)
            .replace("\"endpoint\":{", "\"endpoint\":{\"hostname\":\"" + "a.".repeat(130) + "b\","),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();

    assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
  }

  @Conformance({"A29-03", "A29-06"})
  @Test
  void aServerOfAnotherNameIsRefusedWithTheReason() throws Exception {
    serve(cluster(uri("spiffe://mesh/billing")), secured("a", PAY));
    mesh.startReady();

    assertThat(failure()).contains("SAN ").contains("spiffe://mesh/pay").contains("not accepted");
  }

  @Conformance("A29-06")
  @Test
  void aServerThatRefusesUsSaysSo() throws Exception {
    write(STRANGER.issue("uri:spiffe://mesh/orders"), AUTHORITY);
    serve(cluster(""), secured("a", PAY));
    mesh.startReady();

    assertThat(failure()).contains("alert ");
  }

  @Conformance("A29-21")
  @Test
  void aServerOfPostQuantumKeyAgreementAloneIsSpokenToOrToldWhatWasOffered() throws Exception {
    SslContext postQuantum =
        GrpcSslContexts.configure(server(PAY), SslProvider.OPENSSL)
            .option(OpenSslContextOption.GROUPS, new String[] {"X25519MLKEM768"})
            .build();
    if (library == TlsLibrary.BORING_SSL || Runtime.version().feature() >= 27) { // JEP 527
      serve(cluster(""), mesh.keep(Backend.absent("a").speaking(postQuantum).revive()));
      mesh.startReady();

      assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
      return;
    }
    try (var server = new TlsPeerServer(postQuantum)) {
      serve(cluster(""), server.port());
      mesh.startReady();

      assertThat(failure())
          .contains(
              "alert handshake_failure; offered were TLSv1.3 and TLSv1.2, with the groups"
                  + " x25519, secp256r1, secp384r1,");
    }
  }

  /** BoringSSL's list of enabled protocols begins with SSLv2Hello, which is not sent. */
  @Conformance({"A29-21", "A29-06"})
  @Test
  void aServerOfEd25519IsSpokenToOrTheMessageSaysWhatWasOffered() throws Exception {
    TestIdentity odd =
        AUTHORITY.issue(builder -> builder.algorithm(Algorithm.ed25519), "uri:spiffe://mesh/pay");
    serve(cluster(""), secured("a", odd));
    mesh.startReady();

    if (library == TlsLibrary.JDK) {
      assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
    } else {
      assertThat(failure())
          .contains("alert handshake_failure; offered were TLSv1.3 and TLSv1.2, with the groups");
    }
  }

  @Test
  void anIdentityOfEd25519IsShownWhateverTheLibrary() throws Exception {
    write(
        AUTHORITY.issue(
            builder -> builder.algorithm(Algorithm.ed25519), "uri:spiffe://mesh/orders"),
        AUTHORITY);
    serve(
        cluster(""),
        mesh.keep(
            Backend.absent("a")
                .speaking(GrpcSslContexts.configure(server(PAY), SslProvider.JDK).build())
                .revive()));
    mesh.startReady();

    assertThat(mesh.app().call("pay.Pay/Do").backend()).isEqualTo("a");
  }

  @Conformance("A29-16")
  @Test
  void aServerWithoutHttp2IsRefused() throws Exception {
    SslContext withoutAlpn =
        SslContextBuilder.forServer(PAY.key(), PAY.chain()).sslProvider(SslProvider.JDK).build();
    try (var server = new TlsPeerServer(withoutAlpn)) {
      serve(cluster(""), server.port());
      mesh.startReady();

      assertThat(failure()).contains("the server did not agree to HTTP/2");
      assertThat(server.received()).as("application data").isZero();
    }
  }

  @Conformance({"A29-15", "A29-06"})
  @Test
  void aServerInPlainTextGetsNothingButAClientHello() throws Exception {
    serve(cluster(""), mesh.backend("a"));
    mesh.startReady();

    assertThat(failure()).contains("TLS handshake failed");
  }

  @Conformance("A29-17")
  @Test
  void aServerThatIsSilentInTheHandshakeIsGivenUp() throws Exception {
    mesh.with(Flag.CONNECT_TIMEOUT, "500ms");
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      serve(cluster(""), silent.getLocalPort());
      mesh.startReady();

      assertThat(failure()).contains("TLS handshake timed out after 500ms");
    }
  }

  @Conformance("A29-14")
  @Test
  void callsSucceedSoonAfterTheFilesAppear() throws Exception {
    Files.delete(folder.resolve("key.pem"));
    serve(cluster(""), secured("a", PAY));
    mesh.startReady();
    assertThat(failure()).contains("private_key_file " + folder + "/key.pem does not exist");

    Files.writeString(folder.resolve("key.pem"), ORDERS.keyPem());

    try (var load = mesh.load(mesh.app(), "pay.Pay/Do", 50)) {
      load.awaitMore("a", 10);
    }
  }

  private void awaitInUse(TestIdentity next) {
    String serial = next.certificate().getSerialNumber().toString(16);
    Await.until(
        serial + " is in use",
        () -> mesh.admin().get("/certs").body(),
        () -> mesh.admin().get("/certs").body().contains("\"" + serial + "\""));
  }

  private void useInNewConnections(TestIdentity next, Backend backend, String matchers) {
    awaitInUse(next);
    int before = backend.connections();
    serve(cluster(matchers), backend);
    Await.until("a new connection", () -> backend.connections() > before);
  }

  @Conformance({"A29-04", "A29-13"})
  @Test
  void aHundredRotationsCostNoCall() throws Exception {
    Backend backend = secured("a", PAY).quiet();
    serve(cluster(""), backend);
    mesh.startReady();
    try (var load = mesh.load(mesh.app(), "pay.Pay/Do", 200)) {
      load.awaitMore("a", 10);
      for (int i = 1; i <= 100; i++) {
        TestIdentity next = AUTHORITY.issue("uri:spiffe://mesh/orders");
        TestIdentity.replace(folder.resolve("key.pem"), next.keyPem());
        load.awaitMore("a", 1); // here and there a look falls between the two
        TestIdentity.replace(folder.resolve("chain.pem"), next.chainPem());
        TestIdentity.replace(
            folder.resolve("roots.pem"),
            i % 2 == 0 ? AUTHORITY.rootPem() : STRANGER.rootPem() + AUTHORITY.rootPem());
        if (i % 10 == 0) {
          useInNewConnections(next, backend, i % 20 == 0 ? "" : uri("spiffe://mesh/pay"));
        }
      }
      load.awaitMore("a", 100);
      assertThat(load.failures()).isEmpty();
    }
  }

  @Conformance("A29-18")
  @Test
  void newRootsReplaceConnectionsThatTheyDoNotTrustWithoutALostCall() throws Exception {
    write(ORDERS, AUTHORITY, STRANGER);
    Backend old = secured("old", PAY).quiet();
    serve(cluster(""), old);
    mesh.startReady();
    try (var load = mesh.load(mesh.app(), "pay.Pay/Do", 200)) {
      load.awaitMore("old", 20);
      Backend moved = secured("moved", STRANGER.issue("uri:spiffe://mesh/pay")).quiet();
      mesh.controlPlane.serve(
          cluster(""),
          Xds.endpoints("A", old, moved),
          Xds.listener("orders", "routes"),
          Xds.routesTo("routes", "A"));
      load.awaitMore("moved", 20);

      TestIdentity.replace(folder.resolve("roots.pem"), STRANGER.rootPem());

      Await.until("the old server is left", () -> old.openConnections() == 0);
      load.awaitMore("moved", 100);
      assertThat(load.failures()).isEmpty();
    }
  }

  /** The server's certificate has ended meanwhile, and nothing says that its root is distrusted. */
  @Conformance({"A29-04", "A29-18"})
  @Test
  void aRenewedIdentityLeavesConnectionsToServersWhoseCertificateHasEnded() throws Exception {
    Instant end = Instant.now().plusSeconds(15); // the first connection comes before
    Backend backend =
        secured("a", AUTHORITY.issue(builder -> builder.notAfter(end), "uri:spiffe://mesh/pay"));
    serve(cluster(""), backend);
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("pay.Pay/Do").backend()).isEqualTo("a");
    Await.until("it has ended", () -> Instant.now().isAfter(end.plusSeconds(1)));
    int before = backend.connections(); // each event loop may have its own

    TestIdentity next = AUTHORITY.issue("uri:spiffe://mesh/orders");
    write(next, AUTHORITY);
    awaitInUse(next);

    for (int i = 0; i < 20; i++) {
      assertThat(app.call("pay.Pay/Do").backend()).isEqualTo("a");
    }
    assertThat(backend.connections()).isEqualTo(before);
  }

  /** The server's part of the handshake arrives when its root is trusted no more. */
  @Conformance("A29-18")
  @Test
  void rootsThatChangeDuringAHandshakeCount() throws Exception {
    Backend held = secured("held", PAY);
    Backend open = secured("open", PAY);
    HeldPort port = mesh.keep(new HeldPort(held));
    mesh.controlPlane.serve(
        cluster(""),
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(port.port(), open.port()))),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();
    App app = mesh.app();
    assertThat(app.call("pay.Pay/Do").backend()).isEqualTo("open");
    Await.until("the other handshake has begun", port::isHolding);

    TestIdentity.replace(folder.resolve("roots.pem"), STRANGER.rootPem());
    Await.until("other roots are in force", () -> open.openConnections() == 0);
    var reply = app.send("pay.Pay/Do");
    port.release();

    assertThat(App.join(reply).code()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(App.join(reply).message()).contains("does not lead to a root");
    assertThat(held.started()).isZero();
  }

  @Conformance({"A29-05", "A29-15", "A29-19"})
  @Test
  void aClusterTurnsToTlsAndBackWithoutALostCall() throws Exception {
    Backend plain = mesh.backend("plain").quiet();
    Backend pay = secured("pay", PAY).quiet();
    PermissivePort port = mesh.keep(new PermissivePort(plain, pay));
    serve(Xds.cluster("A"), port.port());
    mesh.startReady();
    try (var load = mesh.load(mesh.app(), "pay.Pay/Do", 1000)) {
      for (int round = 0; round < 3; round++) {
        load.awaitMore("plain", 30);
        serve(cluster(uri("spiffe://mesh/pay")), port.port());
        load.awaitMore("pay", 30);
        Await.until("no connection in plain text", () -> plain.openConnections() == 0);
        int inPlainText = port.plainConnections();
        write(AUTHORITY.issue("uri:spiffe://mesh/orders"), AUTHORITY);
        int before = pay.connections();
        serve(cluster(uri("spiffe://mesh/pay") + "," + uri("spiffe://mesh/other")), port.port());
        Await.until("a connection of its own", () -> pay.connections() > before);
        load.awaitMore("pay", 30);
        assertThat(port.plainConnections()).isEqualTo(inPlainText);
        serve(Xds.cluster("A"), port.port());
      }
      load.awaitMore("plain", 30);
      Await.until("no connection with TLS", () -> pay.openConnections() == 0);
      assertThat(load.failures()).isEmpty();
      assertThat(port.otherConnections()).as("neither TLS nor HTTP/2").isZero();
    }
  }

  @Conformance("A29-19")
  @Test
  void twoClustersOfOneAddressShareNoConnection() throws Exception {
    Backend plain = mesh.backend("plain");
    Backend pay = secured("pay", PAY);
    PermissivePort port = mesh.keep(new PermissivePort(plain, pay));
    mesh.controlPlane.serve(
        cluster(uri("spiffe://mesh/pay")),
        Xds.endpoints("A", Xds.locality("z", 0, 1, List.of(port.port()))),
        Xds.cluster("B"),
        Xds.endpoints("B", Xds.locality("z", 0, 1, List.of(port.port()))),
        Xds.listener("orders", "routes"),
        Xds.routes("routes", Xds.host("*", Xds.route("/pay.Pay/", "A"), Xds.route("/", "B"))));
    mesh.startReady();

    App app = mesh.app();
    for (int i = 0; i < 5; i++) {
      assertThat(app.call("pay.Pay/Do").backend()).isEqualTo("pay");
      assertThat(app.call("orders.Orders/Do").backend()).isEqualTo("plain");
    }
  }

  @Conformance("A29-05")
  @Test
  void otherSettingsForTheSameServerTakeNewConnections() throws Exception {
    Backend pay = secured("pay", PAY).quiet();
    serve(cluster(""), pay);
    mesh.startReady();
    try (var load = mesh.load(mesh.app(), "pay.Pay/Do", 200)) {
      load.awaitMore("pay", 30);
      int before = pay.connections();
      serve(cluster(uri("spiffe://mesh/pay")), pay);
      Await.until("a new connection", () -> pay.connections() > before);
      load.awaitMore("pay", 30);
      assertThat(load.failures()).isEmpty();
    }
  }

  @Conformance("OV-04")
  @Test
  void protocolsOfAnOverlayAreOfferedFirstAndAChangeOfThemCostsNoCall() throws Exception {
    SslContext permissive =
        server(PAY)
            .sslProvider(SslProvider.JDK)
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    ApplicationProtocolConfig.Protocol.ALPN,
                    SelectorFailureBehavior.NO_ADVERTISE,
                    SelectedListenerFailureBehavior.ACCEPT,
                    List.of("istio", "h2")))
            .build();
    Backend backend = mesh.keep(Backend.absent("a").speaking(permissive).revive());
    serve(cluster(uri("spiffe://mesh/pay")), backend);
    Path overlay = folder.resolve("policy.yaml");
    Files.writeString(overlay, "overlay: []");
    mesh.with(Flag.OVERLAY, overlay.toString()).startReady();
    Load load = mesh.load(mesh.app(), "pay.Pay/Do", 100);
    load.awaitMore("a", 10);
    int before = backend.connections();

    Path next = Files.writeString(folder.resolve("next"), ALPN_RULE);
    Files.move(next, overlay, StandardCopyOption.ATOMIC_MOVE);

    Await.until("there is a connection of the new kind", () -> backend.connections() > before);
    load.awaitMore("a", 50);
    assertThat(load.failures()).isEmpty();
    assertThat(mesh.admin().get("/overlay").body()).contains("\"field\": \"alpn\"");
  }

  private static final String ALPN_RULE =
      "overlay: [{name: permissive, clusters: ['*'], patch: {alpn: [istio-h2, istio]}}]";
}
