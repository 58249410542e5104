package io.outrigger.xds.transport;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.TlsServerCredentials.ClientAuth;
import io.netty.channel.epoll.Epoll;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.testing.ScriptedAdsServer;
import io.outrigger.xds.testing.TextResources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Targets and credentials of a bootstrap as channels. */
final class GrpcAdsTransportTest {
  private static Path folder = Path.of("");

  @BeforeAll
  static void makeCertificate(@TempDir Path temporary) throws Exception {
    folder = temporary;
    TestCertificate.make(folder, "cert");
  }

  @Test
  void reachesAServerOverTlsThatTheGivenAuthorityVouchesFor() throws IOException {
    ServerCredentials credentials =
        TlsServerCredentials.create(file("cert.pem").toFile(), file("cert.key").toFile());
    Tls client = TestCertificate.credentials(Optional.of(file("cert.pem")), Optional.empty());

    try (var server = ScriptedAdsServer.startSecure(credentials);
        var ads = new GrpcFixture(server.target(), client, new TextResources())) {
      assertReaches(server, ads);
    }
  }

  @Test
  void refusesAServerThatNoSystemRootVouchesFor() throws IOException {
    ServerCredentials credentials =
        TlsServerCredentials.create(file("cert.pem").toFile(), file("cert.key").toFile());
    var client = new Tls(CertificateFiles.NONE);

    try (var server = ScriptedAdsServer.startSecure(credentials);
        var ads = new GrpcFixture(server.target(), client, new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");

      assertThat(watcher.await())
          .startsWith("failed: UNAVAILABLE: xDS server " + server.target())
          .contains("certificate verify failed: \"CN=cert\" does not lead to a root")
          .doesNotContain("\n", "Pipeline");
    }
  }

  @Test
  void showsItsOwnCertificateToAServerThatAsksForIt() throws IOException {
    ServerCredentials credentials =
        TlsServerCredentials.newBuilder()
            .keyManager(file("cert.pem").toFile(), file("cert.key").toFile())
            .trustManager(file("cert.pem").toFile())
            .clientAuth(ClientAuth.REQUIRE)
            .build();
    Tls client = new TestCertificate(file("cert.pem"), file("cert.key")).credentials();

    try (var server = ScriptedAdsServer.startSecure(credentials);
        var ads = new GrpcFixture(server.target(), client, new TextResources())) {
      assertReaches(server, ads);
    }
  }

  @Test
  void reachesAServerOnAUnixSocket() {
    Assumptions.assumeTrue(Epoll.isAvailable());

    try (var server = ScriptedAdsServer.startOnSocket(file("s"));
        var ads = new GrpcFixture(server.target())) {
      assertReaches(server, ads);
    }
  }

  @Test
  void reachesAServerByADnsTarget() {
    try (var server = ScriptedAdsServer.start();
        var ads = new GrpcFixture("dns:///localhost:" + server.port())) {
      assertReaches(server, ads);
    }
  }

  @Test
  @Conformance("A57-11")
  @SuppressWarnings("try") // the port is let go before the end
  void eachStreamTriesToConnectThoughTheOneBeforeJustFailed() {
    try (var gone = RefusingPort.any();
        var loop = new ControlThread("control")) {
      var transport = new GrpcAdsTransport(loop, insecure(gone.number()));
      assertThat(openStream(loop, transport).join()).isEqualTo("connection refused");

      int port = gone.number();
      gone.close();
      try (var back = ScriptedAdsServer.startOn(port)) {
        assertThat(openStream(loop, transport).join()).as(back.target()).isEqualTo("ready");
      }
      loop.execute(transport::close);
    }
  }

  @Test
  void connectsBeforeItsFirstStream() throws Exception {
    try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var loop = new ControlThread("control")) {
      server.setSoTimeout(60_000);
      var transport = new GrpcAdsTransport(loop, insecure(server.getLocalPort()));

      loop.execute(transport::connect);

      try (var connection = server.accept()) {
        byte[] preface = connection.getInputStream().readNBytes(3);
        assertThat(new String(preface, StandardCharsets.US_ASCII)).isEqualTo("PRI");
      }
      loop.execute(transport::close);
    }
  }

  /** gRPC for Java waits for the SETTINGS of a server for ever. */
  @Test
  @Conformance("A57-11")
  void aServerThatAcceptsAndSaysNothingIsUnreachable() throws Exception {
    var connections = new AtomicInteger();
    var times =
        new GrpcAdsTransport.KeepAlive(
            Duration.ofMinutes(5), Duration.ofSeconds(20), Duration.ofMillis(300));
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        var loop = new ControlThread("control")) {
      var accepting =
          new Thread(
              () -> {
                try {
                  for (List<Socket> open = new ArrayList<>(); ; open.add(silent.accept())) {
                    connections.set(open.size());
                  }
                } catch (IOException closed) {
                  // the test has ended
                }
              });
      accepting.start();
      var transport = new GrpcAdsTransport(loop, insecure(silent.getLocalPort()), times, Map.of());

      assertThat(openStream(loop, transport).join()).startsWith("no HTTP/2 connection after 0 s");
      assertThat(openStream(loop, transport).join()).startsWith("no HTTP/2 connection after 0 s");
      Await.until("the first is used twice", () -> connections.get() == 1);
      assertThat(openStream(loop, transport).join()).startsWith("no HTTP/2 connection after 0 s");
      Await.until("then another is made", () -> connections.get() == 2);
      loop.execute(transport::close);
    }
  }

  @Test
  void aMissingFileNamesTheServerAndTheFile() {
    Tls tls =
        TestCertificate.credentials(Optional.of(Path.of("/no/such/ca.pem")), Optional.empty());

    assertThatThrownBy(() -> transport("cp.test:443", tls))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cp.test:443")
        .hasMessageContaining("/no/such/ca.pem");
  }

  @Test
  void aFileThatIsNoCertificateNamesTheServer() throws IOException {
    Path garbage = Files.writeString(file("garbage.pem"), "not a certificate");
    Tls tls = TestCertificate.credentials(Optional.of(garbage), Optional.empty());

    assertThatThrownBy(() -> transport("cp.test:443", tls))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cp.test:443");
  }

  @Test
  void aTargetOfUnknownSchemeNamesTheServer() {
    assertThatThrownBy(() -> transport("nope:///x y", new XdsServer.ChannelCredentials.Insecure()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nope:///x y");
  }

  private static void assertReaches(ScriptedAdsServer server, GrpcFixture ads) {
    var watcher = ads.watch(LISTENER, "a");

    server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));

    assertThat(watcher.await()).isEqualTo("ok: x");
  }

  /** Opens a stream and tells what comes first: {@code ready}, or why it was closed. */
  private static CompletableFuture<String> openStream(
      ControlThread loop, GrpcAdsTransport transport) {
    var first = new CompletableFuture<String>().orTimeout(60, TimeUnit.SECONDS);
    var listener =
        new AdsTransport.Listener() {
          @Override
          public void onReady() {
            first.complete("ready");
          }

          @Override
          public void onResponse(DiscoveryResponse response) {}

          @Override
          public void onClosed(RpcStatus reason) {
            first.complete(reason.message());
          }
        };
    loop.execute(
        () -> {
          var unused = transport.open(listener);
        });
    return first;
  }

  private static void transport(String uri, XdsServer.ChannelCredentials credentials) {
    try (var loop = new ControlThread("control")) {
      var unused =
          new GrpcAdsTransport(
              loop, new XdsServer(uri, credentials, List.of(), ServerFeatures.NONE));
    }
  }

  private static XdsServer insecure(int port) {
    var credentials = new XdsServer.ChannelCredentials.Insecure();
    return new XdsServer("127.0.0.1:" + port, credentials, List.of(), ServerFeatures.NONE);
  }

  private static Path file(String name) {
    return folder.resolve(name);
  }
}
