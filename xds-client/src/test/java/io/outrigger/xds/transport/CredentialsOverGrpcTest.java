package io.outrigger.xds.transport;

import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc;
import io.envoyproxy.envoy.service.discovery.v3.AggregatedDiscoveryServiceGrpc.AggregatedDiscoveryServiceImplBase;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerCredentials;
import io.grpc.ServerInterceptor;
import io.grpc.TlsServerCredentials;
import io.grpc.TlsServerCredentials.ClientAuth;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials;
import io.outrigger.config.bootstrap.XdsServer.ChannelCredentials.Tls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.testing.Jwt;
import io.outrigger.xds.testing.ScriptedAdsServer;
import io.outrigger.xds.testing.TextResources;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificate files that change, and tokens, over real connections. */
class CredentialsOverGrpcTest {
  private static final long PATIENCE_SECONDS = 60;

  private static TestCertificate ours = new TestCertificate(Path.of(""), Path.of(""));
  private static TestCertificate strange = ours;

  @TempDir private Path folder;
  private TestCertificate files = ours;

  @BeforeAll
  static void make(@TempDir Path shared) throws Exception {
    ours = TestCertificate.make(shared, "ours");
    strange = TestCertificate.make(shared, "strange");
  }

  @BeforeEach
  void name() {
    files = new TestCertificate(folder.resolve("cert.pem"), folder.resolve("cert.key"));
  }

  private Tls client() {
    return new Tls(
        files.certificatePath(), files.certificatePath(), files.keyPath(), Duration.ZERO);
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
    strange.copyTo(files);

    try (var server = ScriptedAdsServer.startSecure(mutual());
        var ads = new GrpcFixture(server.target(), client(), new TextResources())) {
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

  @Conformance("A29-07")
  @Test
  void filesThatCannotBeUsedLeaveWhatWasReadBefore() throws Exception {
    ours.copyTo(files);
    TlsFiles read = TlsFiles.read(client());

    Files.copy(strange.key(), files.key(), StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(read::reload)
        .as("between the two writes of a rotation")
        .hasMessage(
            "private_key_file %s is not the key of certificate_file %s"
                .formatted(files.key(), files.certificate()));
    Files.writeString(files.certificate(), "");
    assertThatThrownBy(read::reload).hasMessageContaining(files.certificate().toString());
    Files.delete(files.certificate());
    assertThatThrownBy(read::reload)
        .hasMessage("ca_certificate_file " + files.certificate() + " does not exist");

    Server server = listen(mutual(), new LinkedBlockingQueue<>());
    ManagedChannel channel =
        Grpc.newChannelBuilder("127.0.0.1:" + server.getPort(), read.credentials()).build();
    try {
      Iterator<DiscoveryResponse> answers =
          ClientCalls.blockingServerStreamingCall(
              channel,
              AggregatedDiscoveryServiceGrpc.getStreamAggregatedResourcesMethod(),
              CallOptions.DEFAULT,
              DiscoveryRequest.getDefaultInstance());
      assertThatThrownBy(answers::hasNext)
          .as("it was reached")
          .hasMessageContaining("UNIMPLEMENTED");
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  /** As istio's agent writes it: EC in the form of SEC 1. */
  @Conformance({"A29-07", "A29-12"})
  @Test
  void aKeyOfAnyFormOpensTheStream() throws Exception {
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
        var ads = new GrpcFixture(server.target(), client(), new TextResources())) {
      var watcher = ads.watch(LISTENER, "a");
      server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));

      assertThat(watcher.await()).isEqualTo("ok: x");
    }
  }

  @Test
  void aTokenGoesWithTheStreamOverTls() throws Exception {
    ours.copyTo(files);
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Server server = listen(mutual(), seen);
    String token = Jwt.of("{\"exp\":" + Instant.now().plusSeconds(3600).getEpochSecond() + "}");
    Path file = Files.writeString(folder.resolve("token"), token);
    try (var loop = new ControlThread("control")) {
      CompletableFuture<RpcStatus> closed = open(loop, server, client(), file);

      assertThat(seen.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)).isEqualTo("Bearer " + token);
      assertThat(closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS).code())
          .isEqualTo(RpcStatus.Code.UNIMPLEMENTED);
    } finally {
      server.shutdownNow();
    }
  }

  @Test
  void aStreamWithoutItsTokenFailsWithTheReason() throws Exception {
    ours.copyTo(files);
    Path file = folder.resolve("token");
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Server secure = listen(mutual(), seen);
    Server plain = listen(InsecureServerCredentials.create(), seen);
    try (var loop = new ControlThread("control")) {
      RpcStatus missing =
          open(loop, secure, client(), file).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
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

  /** Opens a stream of a client whose bootstrap names {@code token}; how it ended. */
  private static CompletableFuture<RpcStatus> open(
      ControlThread loop, Server server, ChannelCredentials credentials, Path token) {
    var closed = new CompletableFuture<RpcStatus>();
    var transport =
        new GrpcAdsTransport(
            loop,
            new XdsServer(
                "127.0.0.1:" + server.getPort(),
                credentials,
                List.of(new XdsServer.CallCredentials(token.toString())),
                ServerFeatures.NONE));
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
