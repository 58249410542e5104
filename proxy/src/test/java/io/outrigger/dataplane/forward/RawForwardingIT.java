package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.downstream.ListenerSettings;
import io.outrigger.dataplane.upstream.UpstreamSettings;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Heads;
import io.outrigger.http2.testing.RawPeer;
import io.outrigger.http2.testing.RawPeer.Connection;
import io.outrigger.http2.testing.RawPeer.Exchange;
import io.outrigger.http2.testing.RawPeer.Server;
import io.outrigger.lb.CallOutcome;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the sidecar between raw HTTP/2 apps and backends, over real sockets. */
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
class RawForwardingIT {
  private static final String OK = "H(:status=200, content-type=application/grpc)";

  private final RawPeer peers = new RawPeer();
  private final List<AutoCloseable> toClose = new ArrayList<>(List.of(peers));

  private final int loops;

  RawForwardingIT(int loops) {
    this.loops = loops;
  }

  @TempDir Path folder;

  @AfterEach
  void closeAll() throws Exception {
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
  }

  private MiniMesh mesh(MiniMesh mesh) {
    toClose.add(mesh);
    return mesh.routed(OneRoute.noLimit());
  }

  private static HeaderList grpc(String... more) {
    String[] fields = new String[more.length + 2];
    fields[0] = "content-type";
    fields[1] = "application/grpc";
    System.arraycopy(more, 0, fields, 2, more.length);
    return Heads.request(fields);
  }

  private static HeaderList trailers() {
    return Heads.headers("grpc-status", "0");
  }

  @Conformance("SC-32")
  @Test
  void aCallPassesAndItsHeadIsTheTargets() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());

    Exchange app = peers.connect(mesh.port()).request(grpc("x-a", "1"), false);
    Exchange backend = server.nextStream();
    app.send(Unpooled.copiedBuffer("ping".getBytes(StandardCharsets.UTF_8)), true);

    assertThat(backend.next())
        .isEqualTo(
            "H(:method=POST, :scheme=http, :path=/pkg.Svc/Call, :authority=orders,"
                + " content-type=application/grpc, x-a=1)");
    assertThat(backend.next()).isEqualTo("D(ping)!");
    backend.send(Heads.responseHead(), false);
    backend.send(Unpooled.copiedBuffer("pong".getBytes(StandardCharsets.UTF_8)), false);
    backend.send(trailers(), true);
    assertThat(List.of(app.next(), app.next(), app.next()))
        .containsExactly(OK, "D(pong)", "H(grpc-status=0)!");
  }

  @Conformance({"SC-07", "SC-24"})
  @Test
  void theDeadlineIsKeptWithin50Milliseconds() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());
    Connection connection = peers.connect(mesh.port());
    Exchange warm = connection.request(grpc(), true);
    server.nextStream().send(Heads.headers(":status", "200", "grpc-status", "0"), true);
    assertThat(warm.next()).contains("grpc-status=0");

    long best = Long.MAX_VALUE; // only some calls, since the machine may be busy
    for (int i = 0; best > 250 && i < 100; i++) {
      long start = System.nanoTime();
      Exchange app = connection.request(grpc("grpc-timeout", "200m"), false);
      Exchange backend = server.nextStream();
      assertThat(app.next()).contains(":status=200").contains("grpc-status=4").endsWith("!");
      long millis = (System.nanoTime() - start) / 1_000_000;
      assertThat(millis).as("never early").isGreaterThanOrEqualTo(200);
      best = Math.min(best, millis);
      assertThat(app.next()).isEqualTo("RST(NO_ERROR)");
      assertThat(backend.next()).contains("grpc-timeout=");
      assertThat(backend.next()).isEqualTo("RST(CANCEL)");
    }

    assertThat(best).isLessThanOrEqualTo(250);
  }

  @Conformance("SC-12")
  @Test
  void anAppsResetOrLossReachesTheBackendAsCancel() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    MiniMesh.Backend subchannel = mesh.backend(server.port());
    Connection connection = peers.connect(mesh.port());
    Exchange first = connection.request(grpc(), false);
    Exchange firstBackend = server.nextStream();
    Exchange second = connection.request(grpc(), false);
    Exchange secondBackend = server.nextStream();

    first.run(s -> s.reset(Http2Error.CANCEL));
    assertThat(firstBackend.next()).startsWith("H(");
    assertThat(firstBackend.next()).isEqualTo("RST(CANCEL)");

    connection.run(c -> c.close(Http2Error.NO_ERROR, "bye"));
    assertThat(secondBackend.next()).startsWith("H(");
    assertThat(secondBackend.next()).isEqualTo("RST(CANCEL)");
    assertThat(second.next()).isEqualTo("LOST(false)");
    assertThat(subchannel.nextOutcome()).isEqualTo(CallOutcome.FAILURE);
    assertThat(subchannel.nextOutcome()).isEqualTo(CallOutcome.FAILURE);
    Await.until("no call is active", () -> mesh.forward.totals().active() == 0);
  }

  @Conformance("SC-38")
  @Test
  void aStalledReaderHoldsUpNobodyElseAndNoMoreThanItsWindow() throws Exception {
    int window = 32 << 10;
    var small = ConnectionSettings.DEFAULT.withWindows(new Windows(window, window, 16 << 20));
    MiniMesh mesh =
        mesh(
            new MiniMesh(
                loops,
                MiniMesh.loopback(0),
                DefaultSettings.LISTENER,
                new UpstreamSettings(
                    DefaultSettings.CONNECT_TIMEOUT, Optional.empty(), Duration.ZERO, small)));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());
    Connection connection = peers.connect(MiniMesh.loopback(mesh.port()), small);
    Exchange stalled = connection.request(grpc(), true).stopReading();
    Exchange source = server.nextStream();
    source.send(Heads.responseHead(), false);
    source.send(Unpooled.wrappedBuffer(new byte[1 << 20]), false);

    for (int i = 0; i < 99; i++) {
      Exchange app = connection.request(grpc(), true);
      Exchange backend = server.nextStream();
      backend.send(Heads.responseHead(), false);
      backend.send(Unpooled.wrappedBuffer(new byte[50]), false);
      backend.send(trailers(), true);
      assertThat(app.next()).isEqualTo(OK);
      String data = app.next();
      String after = app.next();
      while (after.startsWith("D(")) { // a read of the socket may end within the frame
        data += after;
        after = app.next();
      }
      assertThat(data).startsWith("D(");
      assertThat(after).isEqualTo("H(grpc-status=0)!");
    }

    // The app has received one window of data, and the sidecar buffers another window.
    Await.until(
        "two windows have been sent",
        () -> {
          var left = new CompletableFuture<Integer>();
          source.run(s -> left.complete(s.pendingBytes()));
          return left.get(60, TimeUnit.SECONDS) == (1 << 20) - 2 * window;
        });
    Await.until("one has come", () -> stalled.received.get() == window);
  }

  @Conformance("SC-36")
  @Test
  void theBackendsStreamLimitIsObeyedInOrder() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var server = peers.listen(ConnectionSettings.DEFAULT.withMaxConcurrentStreams(2));
    mesh.backend(server.port());
    Connection connection = peers.connect(mesh.port());
    Exchange warm = connection.request(grpc(), true); // calls that wait for a first connection
    server.nextStream().send(Heads.headers(":status", "200", "grpc-status", "0"), true);
    assertThat(warm.next()).contains("grpc-status=0"); // may overtake each other
    List<Exchange> apps = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      apps.add(connection.request(grpc("x-n", "" + i), true));
    }

    for (int i = 0; i < 6; i++) {
      Exchange backend = server.nextStream();
      assertThat(backend.next()).contains("x-n=" + i);
      if (i == 1) { // two are open: the third must wait
        assertThat(server.streams.poll(100, TimeUnit.MILLISECONDS)).isNull();
      }
      if (i >= 1) {
        backend.send(Heads.headers(":status", "200", "grpc-status", "0"), true);
      }
    }
    for (int i = 1; i < 6; i++) {
      assertThat(apps.get(i).next()).contains("grpc-status=0");
    }
    assertThat(apps.get(0).events).isEmpty();
  }

  @Conformance("SC-35")
  @Test
  void aGoAwayLeavesOpenStreamsAndMovesNewOnes() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    MiniMesh.Backend subchannel = mesh.backend(server.port());
    Connection connection = peers.connect(mesh.port());
    Exchange old = connection.request(grpc(), true);
    Exchange oldBackend = server.nextStream();
    Connection first = oldBackend.connection;

    server.connections.forEach(each -> each.run(c -> c.drain())); // another loop's, too
    assertThat(subchannel.states.poll(60, TimeUnit.SECONDS)).isEqualTo("READY");
    assertThat(subchannel.states.poll(60, TimeUnit.SECONDS)).contains("GOAWAY NO_ERROR");
    Exchange fresh = connection.request(grpc(), true);
    Exchange freshBackend = server.nextStream();
    freshBackend.send(Heads.headers(":status", "200", "grpc-status", "0"), true);
    assertThat(fresh.next()).contains("grpc-status=0");

    oldBackend.send(Heads.headers(":status", "200", "grpc-status", "0"), true);
    assertThat(old.next()).contains("grpc-status=0");
    assertThat(first.closed.get(60, TimeUnit.SECONDS)).isNotEmpty();
  }

  @Test
  void eachLoopOpensItsOwnConnectionOnDemand() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(2));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());
    Set<Object> used = new HashSet<>();
    Await.until( // a call borrows a stream of the other loop where a connection takes long
        "both have a connection",
        () -> {
          Exchange app = peers.connect(mesh.port()).request(grpc(), true); // at the loops in turn
          Exchange backend = server.nextStream();
          used.add(backend.connection);
          backend.send(Heads.headers(":status", "200", "grpc-status", "0"), true);
          assertThat(app.next()).contains("grpc-status=0");
          return used.size() == 2;
        });

    assertThat(server.connections).hasSize(2);
  }

  @Test
  void aLoopsOwnConnectionThatIdlesIsClosedAndMadeAnewOnDemand() throws Exception {
    MiniMesh mesh =
        mesh(
            new MiniMesh(
                2,
                MiniMesh.loopback(0),
                DefaultSettings.LISTENER,
                new UpstreamSettings(
                    DefaultSettings.CONNECT_TIMEOUT,
                    Optional.empty(),
                    Duration.ofMillis(50),
                    ConnectionSettings.DEFAULT)));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    MiniMesh.Backend subchannel = mesh.backend(server.port());
    List<Connection> apps = List.of(peers.connect(mesh.port()), peers.connect(mesh.port()));
    callFromEach(apps, server);
    // On a slow machine, a connection may have been closed and replaced before.
    Await.until("but for one they are closed", () -> open(server) == 1);
    int before = server.connections.size();
    callFromEach(apps, server);

    Await.until("one is made anew", () -> server.connections.size() > before);
    assertThat(subchannel.states).containsExactly("READY");
  }

  private static void callFromEach(List<Connection> apps, Server server) throws Exception {
    for (Connection app : apps) {
      Exchange call = app.request(grpc(), true);
      server.nextStream().send(Heads.headers(":status", "200", "grpc-status", "0"), true);
      assertThat(call.next()).contains("grpc-status=0");
    }
  }

  private static long open(Server server) {
    return server.connections.stream().filter(each -> !each.closed.isDone()).count();
  }

  @Test
  void aRefusedConnectionIsToldInPlainWords() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var refusing = RefusingPort.any();
    toClose.add(refusing);

    MiniMesh.Backend backend = mesh.backend(refusing.number());

    assertThat(backend.states.poll(60, TimeUnit.SECONDS)).isEqualTo("connection refused");
    Exchange app = peers.connect(mesh.port()).request(grpc(), true);
    assertThat(app.next()).contains("grpc-status=14").contains("connection refused");
  }

  @Conformance("SC-51")
  @Test
  void anAcceptWithoutSettingsIsNotReadyAndFailsInTime() throws Exception {
    MiniMesh mesh =
        mesh(
            new MiniMesh(
                loops,
                MiniMesh.loopback(0),
                DefaultSettings.LISTENER,
                new UpstreamSettings(
                    Duration.ofMillis(300),
                    Optional.empty(),
                    Duration.ZERO,
                    ConnectionSettings.DEFAULT)));
    try (var silent = new ServerSocket(0, 10, MiniMesh.loopback(0).getAddress())) {
      long start = System.nanoTime();
      MiniMesh.Backend backend = mesh.backend(silent.getLocalPort());
      Exchange app = peers.connect(mesh.port()).request(grpc(), true);

      assertThat(app.next()).contains("grpc-status=14").contains("no SETTINGS within 300ms");
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(300_000_000L);
      assertThat(backend.states).hasSize(1);
    }
  }

  @Conformance("SC-16")
  @Test
  void aBackendThatDiesEndsItsCallsWithUnavailable() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());
    Connection connection = peers.connect(mesh.port());
    Exchange before = connection.request(grpc(), true);
    Connection upstream = server.nextStream().connection;
    Exchange after = connection.request(grpc(), true);
    server.nextStream().send(Heads.responseHead(), false);
    assertThat(after.next()).isEqualTo(OK);

    upstream.run(c -> c.close(Http2Error.INTERNAL_ERROR, "crash"));

    assertThat(before.next()).contains(":status=200").contains("grpc-status=14").endsWith("!");
    assertThat(after.next()).startsWith("H(grpc-status=14").endsWith("!");
  }

  @Conformance("SC-44")
  @Test
  void aDrainFinishesWhatRunsAndThenCloses() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(2));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());
    Connection connection = peers.connect(mesh.port());
    Exchange app = connection.request(grpc(), true);
    Exchange backend = server.nextStream();
    Connection idle = peers.connect(mesh.port());

    var drained = mesh.listener.drain();
    assertThat(idle.closed.get(60, TimeUnit.SECONDS)).isNotEmpty();
    assertThat(drained).isNotDone();
    assertThatThrownBy(() -> peers.connect(mesh.port())).isInstanceOf(Exception.class);

    backend.send(Heads.headers(":status", "200", "grpc-status", "0"), true);
    assertThat(app.next()).contains("grpc-status=0");
    drained.get(60, TimeUnit.SECONDS);
    assertThat(mesh.listener.connections()).isZero();
  }

  @Test
  void oneConnectionTooManyIsClosed() throws Exception {
    MiniMesh mesh =
        mesh(
            new MiniMesh(
                loops,
                MiniMesh.loopback(0),
                new ListenerSettings(1, ConnectionSettings.DEFAULT),
                DefaultSettings.UPSTREAM));
    peers.connect(mesh.port());

    assertThatThrownBy(() -> peers.connect(mesh.port())).isInstanceOf(Exception.class);
    assertThat(mesh.forward.totals().count(CallCounter.REFUSED_CONNECTIONS)).isEqualTo(1);
    assertThat(mesh.listener.connections()).isEqualTo(1);
  }

  @Test
  void aPortInUseIsAnErrorThatNamesIt() throws Exception {
    MiniMesh mesh = mesh(new MiniMesh(loops));

    assertThatThrownBy(
            () ->
                new MiniMesh(
                    loops,
                    MiniMesh.loopback(mesh.port()),
                    DefaultSettings.LISTENER,
                    DefaultSettings.UPSTREAM))
        .isInstanceOf(IOException.class)
        .hasMessage("cannot listen on 127.0.0.1:" + mesh.port() + ": address already in use");
  }

  @Test
  void aUnixSocketServesAndItsFileComesAndGoes() throws Exception {
    Path path = folder.resolve("orders.sock");
    var stale = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    stale.bind(UnixDomainSocketAddress.of(path));
    stale.close(); // the file stays
    assertThat(path).exists();

    MiniMesh mesh =
        mesh(
            new MiniMesh(
                loops,
                UnixDomainSocketAddress.of(path),
                DefaultSettings.LISTENER,
                DefaultSettings.UPSTREAM));
    var server = peers.listen(ConnectionSettings.DEFAULT);
    mesh.backend(server.port());
    var address = mesh.loops.unixAddress(path);
    Exchange app = peers.connect(address, ConnectionSettings.DEFAULT).request(grpc(), true);
    server.nextStream().send(Heads.headers(":status", "200", "grpc-status", "0"), true);
    assertThat(app.next()).contains("grpc-status=0");

    assertThatThrownBy(
            () ->
                new MiniMesh(
                    loops,
                    UnixDomainSocketAddress.of(path),
                    DefaultSettings.LISTENER,
                    DefaultSettings.UPSTREAM))
        .hasMessage("cannot listen on unix:" + path + ": address already in use");

    mesh.listener.close().get(60, TimeUnit.SECONDS);
    assertThat(path).doesNotExist();
  }

  @Test
  void aFileThatIsNoSocketIsLeftAlone() throws Exception {
    Path path = Files.writeString(folder.resolve("notes.txt"), "precious");

    assertThatThrownBy(
            () ->
                new MiniMesh(
                    loops,
                    UnixDomainSocketAddress.of(path),
                    DefaultSettings.LISTENER,
                    DefaultSettings.UPSTREAM))
        .hasMessageContaining("not a socket");
    assertThat(path).hasContent("precious");
  }
}
