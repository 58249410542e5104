package io.outrigger.xds.transport;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.TextResources.invalid;
import static io.outrigger.xds.testing.TextResources.resource;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.discovery.v3.DiscoveryRequest;
import io.envoyproxy.envoy.service.discovery.v3.DiscoveryResponse;
import io.grpc.Status;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.xds.ServerStream;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.testing.AwaitingWatcher;
import io.outrigger.xds.testing.ScriptedAdsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ADS client over real gRPC, against a control plane that does what the test says. */
@Execution(ExecutionMode.CONCURRENT)
final class AdsOverGrpcTest {
  /** Tells of each frame of a message that is too long; held, because levels are weak. */
  private static final Logger FRAMES =
      Logger.getLogger("io.grpc.internal.AbstractClientStream$TransportState");

  private static final int PREFACE = 24;

  private final ScriptedAdsServer server = ScriptedAdsServer.start();
  private final GrpcFixture ads = new GrpcFixture(server.target());

  @AfterEach
  void close() {
    ads.close();
    server.close();
  }

  @Test
  @Conformance({"A57-27", "A57-29"})
  void resourcesArriveAndAreAcknowledged() {
    var watcher = ads.watch(LISTENER, "a");
    ScriptedAdsServer.Stream stream = server.awaitStream();
    DiscoveryRequest first = stream.awaitRequest();
    stream.respond(LISTENER, "1", resource(LISTENER, "a", "x"));

    assertThat(watcher.await()).isEqualTo("ok: x");
    assertThat(first.getNode().getUserAgentName()).isEqualTo("outrigger");
    assertThat(first.getResourceNamesList()).containsExactly("a");
    DiscoveryRequest ack = stream.awaitRequest();
    assertThat(ack.getVersionInfo()).isEqualTo("1");
    assertThat(ack.getResponseNonce()).isEqualTo("n1");
    assertThat(ack.hasErrorDetail()).isFalse();
    assertThat(ads.status().servers().get(0).attached()).isTrue();
  }

  @Test
  @Conformance({"A57-29", "A46-01", "A46-02"})
  void anInvalidResourceIsRefusedByName() {
    var good = ads.watch(CLUSTER, "good");
    var bad = ads.watch(CLUSTER, "bad");
    ScriptedAdsServer.Stream stream = server.awaitStream();
    stream.respond(CLUSTER, "1", resource(CLUSTER, "good", "x"), invalid(CLUSTER, "bad", "wrong"));

    assertThat(good.await()).isEqualTo("ok: x");
    assertThat(bad.await()).contains("wrong");
    DiscoveryRequest nack = stream.awaitRequest(DiscoveryRequest::hasErrorDetail);
    assertThat(nack.getVersionInfo()).isEmpty();
    assertThat(nack.getErrorDetail().getMessage()).isEqualTo("cluster \"bad\": wrong");
  }

  @Test
  @Conformance({"A57-02", "A57-26"})
  void aStreamThatEndsAfterAResponseIsReplacedWithoutAWordToWatchers() {
    var watcher = ads.watch(LISTENER, "a");
    ScriptedAdsServer.Stream first = server.awaitStream();
    first.respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    assertThat(watcher.await()).isEqualTo("ok: x");

    first.closeWith(Status.UNAVAILABLE.withDescription("rebalancing"));
    ScriptedAdsServer.Stream second = server.awaitStream();
    DiscoveryRequest again = second.awaitRequest();
    second.respond(LISTENER, "2", resource(LISTENER, "a", "y"));

    assertThat(again.getVersionInfo()).isEqualTo("1");
    assertThat(again.getResponseNonce()).isEmpty();
    assertThat(again.hasNode()).isTrue();
    assertThat(watcher.await()).as("and nothing before it").isEqualTo("ok: y");
  }

  @Test
  @Conformance({"A57-01", "A57-11"})
  void aConnectionThatBreaksBeforeAResponseIsReportedAndReplaced() {
    var watcher = ads.watch(LISTENER, "a");
    server.awaitStream().awaitRequest();

    server.dropConnections();

    assertThat(watcher.await())
        .startsWith("failed: UNAVAILABLE: xDS server " + server.target() + " cannot be reached");
    server.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
    assertThat(watcher.await()).isEqualTo("ok: x");
  }

  /** The frames that a server sends after its SETTINGS frame, and before the end. */
  @ParameterizedTest
  @CsvSource({
    "'', the server closed the connection without a reason; look in its log",
    "00000b 07 00 00000000 7fffffff 0000000b 627965, ENHANCE_YOUR_CALM",
  })
  void aServerThatClosesAfterTheHandshakeIsNamedWithTheReason(String frames, String reason)
      throws Exception {
    try (var listening = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        var client = new GrpcFixture("127.0.0.1:" + listening.getLocalPort())) {
      var watcher = client.watch(LISTENER, "a");
      var accepting = new Thread(() -> closeEachConnection(listening, frames.replace(" ", "")));
      accepting.setDaemon(true); // it ends when the socket is closed
      accepting.start();
      assertThat(watcher.await())
          .startsWith("failed: UNAVAILABLE: xDS server 127.0.0.1:" + listening.getLocalPort())
          .contains(reason);
    }
  }

  /** Ends when {@code listening} is closed. gRPC may connect again before its stream begins. */
  private static void closeEachConnection(ServerSocket listening, String frames) {
    while (true) {
      try (Socket connection = listening.accept()) {
        var unused = connection.getInputStream().readNBytes(PREFACE);
        connection.getOutputStream().write(HexFormat.of().parseHex("000000040000000000"));
        connection.getOutputStream().write(HexFormat.of().parseHex(frames));
        connection.shutdownOutput();
        unused = connection.getInputStream().readAllBytes(); // until the client has closed
      } catch (SocketException closed) {
        if (listening.isClosed()) {
          return;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  @Conformance("A57-11")
  void afterAnOutageThereIsOneConnectionForTheStream() throws Exception {
    int port = server.port();
    var watcher = ads.watch(LISTENER, "a");
    server.awaitStream().respond(LISTENER, "0", resource(LISTENER, "a", "x0"));
    assertThat(watcher.await()).isEqualTo("ok: x0");
    server.close();
    for (int outage = 1; outage <= 4; outage++) {
      assertThat(watcher.await()).contains(" cannot be reached");
      try (var back = ScriptedAdsServer.startOn(port)) {
        back.awaitStream().respond(LISTENER, "" + outage, resource(LISTENER, "a", "x" + outage));
        String told = watcher.await();
        while (!told.equals("ok: x" + outage)) {
          told = watcher.await(); // of attempts that came before
        }
        TimeUnit.MILLISECONDS.sleep(300); // a second connection would come at about the same time
        assertThat(back.connections()).as("outage %s", outage).isOne();
      }
    }
  }

  /**
   * When gRPC connected again by itself, it also made connections that no stream used, or failed
   * streams without an attempt.
   */
  @Test
  @Conformance("A57-11")
  void eachStreamThatFailsHasMadeOneConnection() throws Exception {
    var accepted = new AtomicInteger();
    try (var listening = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      var accepting = new Thread(() -> refuseEachConnection(listening, accepted));
      accepting.setDaemon(true); // it ends when the socket is closed
      accepting.start();
      var credentials = new XdsServer.ChannelCredentials.Insecure();
      String target = "127.0.0.1:" + listening.getLocalPort();
      var given = new XdsServer(target, credentials, List.of(), ServerFeatures.NONE);
      AdsTransport transport = ads.call(() -> new GrpcAdsTransport(ads.loop, given));

      for (int streams = 1; streams <= 100; streams++) {
        var listener = new Silent();
        var unused = ads.call(() -> send(transport.open(listener)));

        assertThat(listener.ended.get(60, TimeUnit.SECONDS).code())
            .isEqualTo(RpcStatus.Code.UNAVAILABLE);
        assertThat(accepted).as("connections").hasValue(streams);
      }
      var unused = ads.call(() -> close(transport));
    }
  }

  /** Closes each connection before the handshake; ends when {@code listening} is closed. */
  private static void refuseEachConnection(ServerSocket listening, AtomicInteger accepted) {
    while (!listening.isClosed()) {
      try (Socket connection = listening.accept()) {
        accepted.incrementAndGet();
        connection.shutdownOutput();
        var unused = connection.getInputStream().readAllBytes(); // until the client has closed
      } catch (IOException e) { // the listening socket is closed, or the client's reset
      }
    }
  }

  @Test
  @Conformance("A57-01")
  void aStreamThatEndsWithOkBeforeAResponseIsReported() {
    var watcher = ads.watch(LISTENER, "a");

    server.awaitStream().closeWith(Status.OK);

    assertThat(watcher.await()).contains("closed the stream without a response");
  }

  @Test
  @Conformance("A57-08")
  void aServerThatIsNotThereIsReportedWithTheReasonUntilItIs() {
    int port = server.port();
    server.close();
    AwaitingWatcher<?> watcher;
    try (var gone = RefusingPort.at(port)) {
      watcher = ads.watch(LISTENER, "a");

      assertThat(watcher.await())
          .isEqualTo(
              "failed: UNAVAILABLE: xDS server 127.0.0.1:%d cannot be reached: connection refused",
              gone.number());
    }
    try (var back = ScriptedAdsServer.startOn(port)) {
      back.awaitStream().respond(LISTENER, "1", resource(LISTENER, "a", "x"));
      String told = watcher.await();
      while (told.startsWith("failed: ")) { // an attempt that came too early
        told = watcher.await();
      }
      assertThat(told).isEqualTo("ok: x");
    }
  }

  @Test
  @Conformance("A71-04")
  void aTransportWhoseLastStreamIsClosedKeepsNoConnectionAndOpensAnother() {
    var credentials = new XdsServer.ChannelCredentials.Insecure();
    var given = new XdsServer(server.target(), credentials, List.of(), ServerFeatures.NONE);
    AdsTransport transport = ads.call(() -> new GrpcAdsTransport(ads.loop, given));
    ServerStream<DiscoveryRequest> stream = ads.call(() -> transport.open(new Silent()));
    ads.call(() -> send(stream));
    server.awaitStream().awaitRequest();

    ads.call(() -> close(stream));

    server.awaitDisconnect();
    ServerStream<DiscoveryRequest> next = ads.call(() -> transport.open(new Silent()));
    ads.call(() -> send(next));
    assertThat(server.awaitStream().awaitRequest().getTypeUrl()).isEqualTo(LISTENER.typeUrl());
  }

  private static boolean send(ServerStream<DiscoveryRequest> stream) {
    stream.send(DiscoveryRequest.newBuilder().setTypeUrl(LISTENER.typeUrl()).build());
    return true;
  }

  private static boolean close(ServerStream<DiscoveryRequest> stream) {
    stream.close();
    return true;
  }

  private static boolean close(AdsTransport transport) {
    transport.close();
    return true;
  }

  private static final class Silent implements AdsTransport.Listener {
    final CompletableFuture<RpcStatus> ended = new CompletableFuture<>();

    @Override
    public void onReady() {}

    @Override
    public void onResponse(DiscoveryResponse response) {}

    @Override
    public void onClosed(RpcStatus reason) {
      ended.complete(reason);
    }
  }

  @Test
  @Conformance("A57-40")
  void aMessageThatCannotBeReadOrIsTooLongEndsTheStreamAndNothingElse() throws Exception {
    FRAMES.setLevel(Level.WARNING);
    var messages =
        new ConcurrentLinkedQueue<>(List.of(new byte[] {-1, -1, -1}, new byte[(64 << 20) + 1]));
    try (var rude = RudeAdsServer.start(messages);
        var client = new GrpcFixture(rude.target())) {
      var watcher = client.watch(LISTENER, "a");

      assertThat(watcher.await()).contains("cannot be reached").containsIgnoringCase("protobuf");
      assertThat(watcher.await())
          .contains("cannot be reached")
          .contains("exceeds maximum size")
          .endsWith("; the limit is a quarter of the heap, at most 64 MiB");

      assertThat(watcher.await()).isEqualTo("ok: x");
    }
  }

  /** Eight million empty resources took all memory of a container, and with it the process. */
  @Test
  void aResponseWhoseListDoesNotFitIntoTheHeapEndsTheStreamUnparsed() throws Exception {
    var list = new byte[2 * (int) (Runtime.getRuntime().maxMemory() / 150 + 1)];
    for (int i = 0; i < list.length; i += 2) {
      list[i] = DiscoveryResponse.RESOURCES_FIELD_NUMBER << 3 | 2;
    }
    try (var rude = RudeAdsServer.start(new ConcurrentLinkedQueue<>(List.of(list)));
        var client = new GrpcFixture(rude.target())) {
      var watcher = client.watch(LISTENER, "a");

      assertThat(watcher.await())
          .contains("cannot be reached: RESOURCE_EXHAUSTED: the response has more than")
          .endsWith("raise the memory limit of the container, or -Xmx");
      assertThat(watcher.await()).isEqualTo("ok: x");
    }
  }

  /** In a container of 256 MiB a response of 60 MB took the memory of the apps' calls. */
  @Test
  void aResponseTakesAQuarterOfTheHeapAtMost() {
    assertThat(GrpcAdsTransport.maxResponseBytes(72L << 20)).isEqualTo(18 << 20);
    assertThat(GrpcAdsTransport.maxResponseBytes(8L << 30)).isEqualTo(64 << 20);
  }

  @Test
  void closingTheClientEndsTheStream() {
    ads.watch(LISTENER, "a");
    ScriptedAdsServer.Stream stream = server.awaitStream();
    stream.awaitRequest();

    var unused =
        ads.call(
            () -> {
              ads.clients.close();
              return true;
            });

    assertThat(stream.awaitEnd().getCode()).isEqualTo(Status.Code.CANCELLED);
  }
}
