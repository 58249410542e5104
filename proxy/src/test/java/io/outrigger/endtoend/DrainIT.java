package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.epoll.Epoll;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.RawHttp2;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The orderly end, while apps go on calling. */
@Timeout(600)
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
@Execution(ExecutionMode.CONCURRENT)
class DrainIT {
  private final Mesh mesh;

  DrainIT(int loops) {
    mesh = new Mesh(loops);
  }

  @AfterEach
  void close() {
    mesh.close();
  }

  private Backend serve() {
    return mesh.serve().quiet();
  }

  @Conformance("SC-44")
  @Test
  void whatWasAcceptedIsFinished() throws Exception {
    Backend a = serve();
    mesh.with(Flag.DRAIN_TIMEOUT, "1h").startReady();
    App app = mesh.app();
    List<CompletableFuture<App.Reply>> held = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      held.add(app.send("test.Pay/Hold"));
    }
    Await.until("calls are held", () -> a.held() == 5);
    Load load = mesh.load(mesh.app(), "test.Pay/Charge", 300);
    load.awaitMore("a", 50);

    CompletableFuture<Void> over = mesh.proxy().drain();
    Await.until("new calls find no port", () -> load.failed() > 20);
    load.close();

    // Each call that reached the backend was answered; the others never left the app.
    assertThat(a.started()).isEqualTo(load.succeeded() + 5);
    assertThat(load.failures().keySet()).allMatch(failure -> failure.startsWith("UNAVAILABLE"));
    assertThat(over).isNotDone();
    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    assertThat(mesh.admin().get("/live").status()).isEqualTo(200);
    a.release();
    for (CompletableFuture<App.Reply> call : held) {
      assertThat(App.join(call).backend()).isEqualTo("a");
    }
    over.get(60, TimeUnit.SECONDS);
  }

  @Conformance("SC-44")
  @Test
  void whatTakesTooLongIsCut() throws Exception {
    Backend a = serve();
    mesh.with(Flag.DRAIN_TIMEOUT, "300ms").startReady();
    CompletableFuture<App.Reply> held = mesh.app().send("test.Pay/Hold");
    Await.until("the call is held", () -> a.held() == 1);

    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_drain_requests_cut_total 0");
    mesh.proxy().drain().get(60, TimeUnit.SECONDS);

    assertThat(mesh.admin().get("/metrics").body())
        .contains("outrigger_drain_requests_cut_total 1");
    assertThat(App.join(held).code()).isEqualTo(Status.Code.UNAVAILABLE);
    Await.until("the backend was told", () -> a.held() == 0);
  }

  /** An app may keep a connection open that has no stream any more. */
  @Conformance("SC-44")
  @Test
  void anIdleAppThatIgnoresGoAwayHoldsNothingUp() throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    serve();
    mesh.startReady();
    try (var app = RawHttp2.open(mesh.address())) {
      app.send(Frames.wholeRequest(1));
      app.await(Frame::endsStream);

      long start = System.nanoTime();
      mesh.proxy().drain().get(60, TimeUnit.SECONDS);

      // 1 s for the answer to PING, and 1 s between the ticks that look at it
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(4500));
    }
  }

  /** The kernel of a unix socket keeps the bytes for an app that reads them later. */
  @Conformance("SC-44")
  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio"})
  void anIdleAppOnAUnixSocketThatIgnoresGoAwayHoldsNothingUp(String transport, @TempDir Path folder)
      throws Exception {
    serve();
    Path socket = folder.resolve("app.sock");
    mesh.with(Flag.TRANSPORT, transport)
        .with(Flag.FORWARD, "unix:" + socket + "=xds:///orders")
        .startReady();
    try (var app = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      for (byte[] part : List.of(Frames.PREFACE, Frames.settings(), Frames.settingsAck())) {
        app.write(ByteBuffer.wrap(part));
      }
      InputStream in = Channels.newInputStream(app);
      assertThat(in.read()).isNotNegative();

      long start = System.nanoTime();
      mesh.proxy().drain().get(60, TimeUnit.SECONDS);

      // 1 s for the answer to PING, and 1 s between the ticks that look at it
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(4500));
      assertThat(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1))
          .endsWith("last stream has ended");
    }
  }

  @Test
  void duringTheDelayRequestsAreStillTaken() throws Exception {
    serve();
    mesh.with(Flag.DRAIN_DELAY, "1h").startReady();
    App app = mesh.app();

    assertThat(mesh.admin().post("/drain").status()).isEqualTo(202);

    assertThat(mesh.admin().get("/ready").status()).isEqualTo(503);
    assertThat(app.call("test.Pay/Charge").backend()).isEqualTo("a");
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    assertThat(mesh.proxy().drain()).isNotDone();
    assertThat(mesh.admin().get("/forwards").body())
        .contains("DRAINING", "requests are still accepted");
  }

  @Test
  void afterTheDelayThePortIsClosed() throws Exception {
    serve();
    mesh.with(Flag.DRAIN_DELAY, "1s").startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");

    long start = System.nanoTime();
    mesh.proxy().drain().get(60, TimeUnit.SECONDS);

    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(1_000_000_000L);
    assertThat(mesh.admin().get("/forwards").body())
        .contains("DRAINING", "the port is closed")
        .doesNotContain("READY");
    assertThat(mesh.app().call("test.Pay/Charge").code()).isEqualTo(Status.Code.UNAVAILABLE);
  }

  @Conformance("SC-44")
  @Test
  void aRestartCostsAnAppThatHonoursGoAwayNothing() throws Exception {
    serve();
    mesh.startReady();
    App app = mesh.keep(App.thatHonoursGoAway(mesh.address()));
    Load load = mesh.load(app.waitingForReady(), "test.Pay/Charge", 300);
    ManagedChannel talk =
        NettyChannelBuilder.forAddress(mesh.address()).usePlaintext().build(); // honours it, too
    mesh.keep(talk::shutdownNow);
    var streams = mesh.keep(new StreamLoad(talk, "test.Pay/Talk", 20));

    for (int i = 0; i < 3; i++) {
      load.awaitMore("a", 100);
      mesh.restart();
    }
    load.awaitMore("a", 100);
    load.close();
    streams.close();

    assertThat(load.failures()).isEmpty();
    assertThat(streams.failures()).isEmpty();
    assertThat(streams.succeeded()).isPositive();
  }
}
