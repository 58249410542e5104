package io.outrigger.xds.transport;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.TextResources.resource;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.InsecureServerCredentials;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.TlsServerCredentials;
import io.grpc.TlsServerCredentials.ClientAuth;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.NettySslContextServerCredentials;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.GoogleDefault;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.identity.tls.TlsLibrary;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.SharedProperty;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.status.XdsStatusView;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.testing.Jwt;
import io.outrigger.xds.testing.ScriptedAdsServer;
import io.outrigger.xds.testing.TextResources;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificate files that change, and tokens, over real connections. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class CredentialsOverGrpcTest {
  private static final long PATIENCE_SECONDS = 60;
  private static final SharedProperty LIBRARY = new SharedProperty(TlsLibrary.PROPERTY);
  private static final TestAuthority AUTHORITY = TestAuthority.named("control plane root");
  private static final TestAuthority STRANGER = TestAuthority.named("another root");

  private static TestCertificate ours = new TestCertificate(Path.of(""), Path.of(""));
  private static TestCertificate strange = ours;

  @TempDir private Path folder;
  private TestCertificate files = ours;
  private boolean hasChosen;

  private void use(String library) throws InterruptedException {
    LIBRARY.hold(library);
    hasChosen = true;
  }

  @AfterEach
  void leaveTheChoiceOfLibrary() {
    if (hasChosen) {
      LIBRARY.release();
    }
  }

  @BeforeAll
  static void make(@TempDir Path shared) throws Exception {
    ours = TestCertificate.make(shared, "ours");
    strange = TestCertificate.make(shared, "strange");
  }

  @BeforeEach
  void name() {
    files = new TestCertificate(folder.resolve("cert.pem"), folder.resolve("cert.key"));
  }

  private static ServerCredentials mutual() throws IOException {
    return TlsServerCredentials.newBuilder()
        .keyManager(ours.certificate().toFile(), ours.key().toFile())
        .trustManager(ours.certificate().toFile())
        .clientAuth(ClientAuth.REQUIRE)
        .build();
  }

  @Conformance("A29-07")
  @Test
  void certificatesThatAreReplacedCountForTheNextConnection() throws Exception {
    use("boringssl");
    strange.copyTo(files);

    try (var server = ScriptedAdsServer.startSecure(mutual());
        var ads = new GrpcFixture(server.target(), files.credentials(), new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");
      assertThat(watcher.await()).as("the wrong one").startsWith("failed: UNAVAILABLE");

      ours.copyTo(files);
      server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));

      String told = watcher.await();
      while (told.startsWith("failed: ")) { // an attempt that came between or before the copies
        told = watcher.await();
      }
      assertThat(told).isEqualTo("ok: x");
    }
  }

  /** As istio's agent writes it: EC in the form of SEC 1. */
  @Conformance({"A29-07", "A29-12"})
  @Test
  void aKeyOfAnyFormOpensTheStream() throws Exception {
    use("boringssl");
    ours.copyTo(files);
    byte[] pkcs8 =
        Base64.getMimeDecoder()
            .decode(Files.readString(ours.key()).replaceAll("-----[A-Z ]+-----", ""));
    byte[] sec1 =
        PrivateKeyInfo.getInstance(pkcs8).parsePrivateKey().toASN1Primitive().getEncoded("DER");
    ASN1Primitive curve =
        PrivateKeyInfo.getInstance(pkcs8)
            .getPrivateKeyAlgorithm()
            .getParameters()
            .toASN1Primitive();
    Files.writeString(
        files.key(),
        TestIdentity.pem("EC PARAMETERS", curve.getEncoded("DER"))
            + TestIdentity.pem("EC PRIVATE KEY", sec1));

    try (var server = ScriptedAdsServer.startSecure(mutual());
        var ads = new GrpcFixture(server.target(), files.credentials(), new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");
      server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));

      assertThat(watcher.await()).isEqualTo("ok: x");
    }
  }

  // Each connection is judged anew (T1), by one choice of library (T13)

  private Tls client(Path roots, TestIdentity identity) throws IOException {
    TestIdentity.replace(files.certificate(), identity.chainPem());
    TestIdentity.replace(files.key(), identity.keyPem());
    return TestCertificate.credentials(Optional.of(roots), Optional.of(files));
  }

  /** Keeps its sessions and offers to resume them, as any server does. */
  private static ServerCredentials resuming(
      TestIdentity identity, String version, X509ExtendedTrustManager clients) throws SSLException {
    return NettySslContextServerCredentials.create(
        GrpcSslContexts.configure(
                SslContextBuilder.forServer(identity.key(), identity.chain())
                    .trustManager(clients)
                    .clientAuth(io.netty.handler.ssl.ClientAuth.REQUIRE)
                    .protocols(version),
                SslProvider.JDK)
            .build());
  }

  /** Records the serial numbers of clients that make a full handshake. */
  private static final class SeenClients extends X509ExtendedTrustManager {
    final List<BigInteger> serials = new CopyOnWriteArrayList<>();

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
      serials.add(chain[0].getSerialNumber());
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  @Conformance({"A29-07", "A29-18"})
  @ParameterizedTest
  @CsvSource({"boringssl, TLSv1.3", "boringssl, TLSv1.2", "jdk, TLSv1.3", "jdk, TLSv1.2"})
  void eachConnectionHasAFullHandshakeByTheCertificatesOfNow(String library, String version)
      throws Exception {
    use(library);
    TestIdentity first = AUTHORITY.issue("dns:client");
    TestIdentity second = AUTHORITY.issue("dns:client");
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    var clients = new SeenClients();
    var credentials = resuming(AUTHORITY.issue("ip:127.0.0.1"), version, clients);

    try (var server = ScriptedAdsServer.startSecure(credentials);
        var ads = new GrpcFixture(server.target(), client(roots, first), new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");
      server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
      assertThat(watcher.await()).isEqualTo("ok: x");
      assertThat(clients.serials).containsOnly(first.certificate().getSerialNumber());

      client(roots, second);
      int connections = 1;
      while (!clients.serials.contains(second.certificate().getSerialNumber())) {
        awaitReading();
        server.dropConnections();
        server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
        connections++;
      }
      assertThat(clients.serials).as("handshakes").hasSize(connections);

      TestIdentity.replace(roots, STRANGER.rootPem());
      connections += dropUntil("does not lead to a root", server, ads) - 1;
      assertThat(clients.serials).as("handshakes").hasSize(connections);
    }
  }

  @Conformance("A29-07")
  @ParameterizedTest
  @CsvSource({"boringssl, TLSv1.3", "jdk, TLSv1.2"})
  void aControlPlaneWhoseCertificateHasEndedIsNotConnectedToAgain(String library, String version)
      throws Exception {
    use(library);
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    Instant end = Instant.now().plusSeconds(15); // the first connection comes before
    TestIdentity brief = AUTHORITY.issue(builder -> builder.notAfter(end), "ip:127.0.0.1");
    var credentials = resuming(brief, version, new SeenClients());

    try (var server = ScriptedAdsServer.startSecure(credentials);
        var ads =
            new GrpcFixture(
                server.target(),
                client(roots, AUTHORITY.issue("dns:client")),
                new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");
      server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
      assertThat(watcher.await()).isEqualTo("ok: x");

      awaitTime(end.plusSeconds(1));
      server.dropConnections();
      awaitError(ads, "has expired at");
    }
  }

  @ParameterizedTest
  @CsvSource({"boringssl, false", "jdk, true"})
  void theLibraryOfTheProcessIsThatOfTheControlPlane(String library, boolean knowsEd25519)
      throws Exception {
    use(library);
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    TestIdentity odd =
        AUTHORITY.issue(builder -> builder.algorithm(Algorithm.ed25519), "ip:127.0.0.1");
    var credentials = resuming(odd, "TLSv1.3", new SeenClients());

    try (var server = ScriptedAdsServer.startSecure(credentials);
        var ads =
            new GrpcFixture(
                server.target(),
                client(roots, AUTHORITY.issue("dns:client")),
                new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");
      if (knowsEd25519) {
        server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
      }

      assertThat(watcher.await())
          .isEqualTo(
              knowsEd25519
                  ? "ok: x"
                  : "failed: UNAVAILABLE: xDS server "
                      + server.target()
                      + " cannot be reached: TLS handshake failed: alert handshake_failure");
    }
  }

  /** By TLS 1.3 the client learns it after its own handshake has ended. */
  @ParameterizedTest
  @CsvSource({
    "boringssl, TLSv1.3",
    "boringssl, TLSv1.2",
    "jdk, TLSv1.3",
    "jdk, TLSv1.2",
  })
  void aServerThatDemandsACertificateIsNamedWithItsAlert(String library, String version)
      throws Exception {
    use(library);
    TestIdentity identity = AUTHORITY.issue("ip:127.0.0.1");
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    Tls client = TestCertificate.credentials(Optional.of(roots), Optional.empty());
    try (var server =
            ScriptedAdsServer.startSecure(resuming(identity, version, new SeenClients()));
        var ads = new GrpcFixture(server.target(), client, new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");

      assertThat(watcher.await())
          .startsWith("failed: UNAVAILABLE: xDS server " + server.target() + " cannot be reached: ")
          .contains("alert ");
    }
  }

  /** Drops the connection until one fails with {@code reason}; how many it took. */
  private static int dropUntil(String reason, ScriptedAdsServer server, GrpcFixture ads)
      throws InterruptedException {
    int connections = 0;
    do {
      awaitReading();
      server.dropConnections();
      connections++;
    } while (!Await.within(Duration.ofSeconds(10), () -> lastError(ads).contains(reason)));
    return connections;
  }

  /**
   * Changed files are read within a second where no thread is held up, and nothing tells when a
   * reading is in use.
   */
  private static void awaitReading() throws InterruptedException {
    awaitTime(Instant.now().plusMillis(2500));
  }

  private static void awaitTime(Instant time) throws InterruptedException {
    while (Instant.now().isBefore(time)) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private static void awaitError(GrpcFixture ads, String reason) throws InterruptedException {
    while (!lastError(ads).contains(reason)) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private static String lastError(GrpcFixture ads) {
    XdsStatusView.Server server = ads.status().clients().get(0).servers().get(0);
    return server.lastError().map(failure -> failure.status().message()).orElse("");
  }

  @Test
  void aTokenGoesWithTheStreamOverTls() throws Exception {
    use("boringssl");
    ours.copyTo(files);
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Server server = listen(mutual(), seen);
    String token = Jwt.of("{\"exp\":" + Instant.now().plusSeconds(3600).getEpochSecond() + "}");
    Path file = Files.writeString(folder.resolve("token"), token);
    try (var loop = new ControlThread("control")) {
      CompletableFuture<RpcStatus> closed = open(loop, server, files.credentials(), file);

      assertThat(seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("Bearer " + token);
      assertThat(closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS).code())
          .isEqualTo(RpcStatus.Code.UNIMPLEMENTED);
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void aStreamWithoutItsTokenFailsWithTheReason() throws Exception {
    use("boringssl");
    ours.copyTo(files);
    Path file = folder.resolve("token");
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Server secure = listen(mutual(), seen);
    Server plain = listen(InsecureServerCredentials.create(), seen);
    try (var loop = new ControlThread("control")) {
      RpcStatus missing =
          open(loop, secure, files.credentials(), file).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      RpcStatus unsafe =
          open(loop, plain, new ChannelCredentials.Insecure(), file)
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);

      assertThat(missing)
          .isEqualTo(
              RpcStatus.unavailable(
                  "call_creds: no token: jwt_token_file " + file + " does not exist"));
      assertThat(unsafe.toString()).startsWith("UNAUTHENTICATED").contains("over tls only");
      assertThat(seen).isEmpty();
    } finally {
      secure.shutdownNow();
      plain.shutdownNow();
    }
  }

  // google_default: token server and control plane over TLS, by the same roots

  /** An HTTPS server that answers each request with a token, and records the requests. */
  private static HttpsServer tokenServer(TestIdentity identity, BlockingQueue<String> requests)
      throws Exception {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(identity.serverContext()));
    server.createContext(
        "/",
        exchange -> {
          requests.add(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
          byte[] body = "{\"access_token\":\"t-1\",\"expires_in\":3599}".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  /** The environment of a service account whose tokens {@code server} has. */
  private Map<String, String> google(HttpsServer server, Path roots) throws IOException {
    Path account =
        Files.writeString(
            folder.resolve("account.json"),
            """
            {"type": "service_account", "client_email": "a@b", "private_key_id": "1",
             "private_key": "%s", "token_uri": "https://127.0.0.1:%d/token"}
            """
                .formatted(
                    AUTHORITY
                        .issue(builder -> builder.algorithm(Algorithm.rsa2048))
                        .keyPem()
                        .replace("\n", "\\n"),
                    server.getAddress().getPort()));
    return Map.of(
        "GOOGLE_APPLICATION_CREDENTIALS", account.toString(), "SSL_CERT_FILE", roots.toString());
  }

  @Conformance("DI-05")
  @Test
  void aTokenOfATokenServerOverTlsGoesToTheControlPlane() throws Exception {
    use("boringssl");
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    TestIdentity identity = AUTHORITY.issue("ip:127.0.0.1");
    BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    HttpsServer tokens = tokenServer(identity, requests);
    Server server = listen(serverOf(identity), seen);
    try (var loop = new ControlThread("control")) {
      CompletableFuture<RpcStatus> closed =
          open(loop, server, new GoogleDefault(), List.of(), google(tokens, roots));

      assertThat(seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("Bearer t-1");
      assertThat(closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS).code())
          .isEqualTo(RpcStatus.Code.UNIMPLEMENTED);
      assertThat(requests).hasSize(1).first().asString().contains("assertion=");
    } finally {
      tokens.stop(0);
      server.shutdownNow();
    }
  }

  @Conformance("DI-05")
  @Test
  void aTokenServerThatTheRootsDoNotVouchForGetsNoSecret() throws Exception {
    use("boringssl");
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    HttpsServer tokens = tokenServer(STRANGER.issue("ip:127.0.0.1"), requests);
    Server server = listen(serverOf(AUTHORITY.issue("ip:127.0.0.1")), seen);
    try (var loop = new ControlThread("control")) {
      RpcStatus closed =
          open(loop, server, new GoogleDefault(), List.of(), google(tokens, roots))
              .get(PATIENCE_SECONDS, TimeUnit.SECONDS);

      assertThat(closed.toString())
          .startsWith("UNAVAILABLE: google_default: no token: 127.0.0.1:")
          .contains("does not lead to a root");
      assertThat(requests).isEmpty();
      assertThat(seen).isEmpty();
    } finally {
      tokens.stop(0);
      server.shutdownNow();
    }
  }

  @Conformance({"A29-07", "DI-05"})
  @Test
  void replacedSystemRootsCountForTheNextConnection() throws Exception {
    use("boringssl");
    Path roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    TestIdentity identity = AUTHORITY.issue("ip:127.0.0.1");
    HttpsServer tokens = tokenServer(identity, new LinkedBlockingQueue<>());
    try (var server = ScriptedAdsServer.startSecure(serverOf(identity));
        var ads =
            new GrpcFixture(
                server.target(), new GoogleDefault(), new TextResources(), google(tokens, roots))) {
      var watcher = ads.watch(LISTENER, "a");
      server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
      assertThat(watcher.await()).isEqualTo("ok: x");

      TestIdentity.replace(roots, STRANGER.rootPem());

      assertThat(dropUntil("does not lead to a root", server, ads)).isPositive();
    } finally {
      tokens.stop(0);
    }
  }

  private static ServerCredentials serverOf(TestIdentity identity) throws IOException {
    return TlsServerCredentials.create(
        new ByteArrayInputStream(identity.chainPem().getBytes(UTF_8)),
        new ByteArrayInputStream(identity.keyPem().getBytes(UTF_8)));
  }

  /** Opens a stream of a client whose bootstrap names {@code token}; how it ended. */
  private static CompletableFuture<RpcStatus> open(
      ControlThread loop, Server server, ChannelCredentials credentials, Path token) {
    return open(
        loop,
        server,
        credentials,
        List.of(new XdsServer.CallCredentials(token.toString())),
        Map.of());
  }

  private static CompletableFuture<RpcStatus> open(
      ControlThread loop,
      Server server,
      ChannelCredentials credentials,
      List<XdsServer.CallCredentials> calls,
      Map<String, String> environment) {
    var closed = new CompletableFuture<RpcStatus>();
    var transport =
        new GrpcAdsTransport(
            loop,
            new XdsServer("127.0.0.1:" + server.getPort(), credentials, calls, ServerFeatures.NONE),
            GrpcAdsTransport.KeepAlive.DEFAULT,
            environment);
    loop.execute(
        () -> {
          var stream =
              transport.open(
                  new AdsTransport.Listener() {
                    @Override
                    public void onReady() {}

                    @Override
                    public void onResponse(DiscoveryResponse response) {}

                    @Override
                    public void onClosed(RpcStatus reason) {
                      transport.close();
                      closed.complete(reason);
                    }
                  });
          stream.requestNext();
        });
    return closed;
  }

  /** A server that answers nothing but tells which authorization it saw. */
  private static Server listen(ServerCredentials credentials, BlockingQueue<String> seen)
      throws IOException {
    var recorder =
        new ServerInterceptor() {
          @Override
          public <Q, A> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            Optional.ofNullable(
                    headers.get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER)))
                .ifPresent(seen::add);
            return next.startCall(call, headers);
          }
        };
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), credentials)
        .addService(new AggregatedDiscoveryServiceImplBase() {})
        .intercept(recorder)
        .build()
        .start();
  }
}
