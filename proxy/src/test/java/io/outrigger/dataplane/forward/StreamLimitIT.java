package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.testing.Heads;
import io.outrigger.http2.testing.RawPeer;
import io.outrigger.http2.testing.RawPeer.Connection;
import io.outrigger.http2.testing.RawPeer.Exchange;
import io.outrigger.http2.testing.RawPeer.Server;
import io.outrigger.lb.CallOutcome;
import io.outrigger.program.testing.mesh.MiniMesh;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the stream limits of backends, and additional connections (A105), over real sockets. */
@ParameterizedClass(name = "{0} loops")
@ValueSource(ints = {1, 2})
class StreamLimitIT {
  private final RawPeer peers = new RawPeer();
  private final List<AutoCloseable> toClose = new ArrayList<>(List.of(peers));

  private final int loops;

  StreamLimitIT(int loops) {
    this.loops = loops;
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
  }

  private MiniMesh mesh() throws IOException {
    return mesh(loops);
  }

  private MiniMesh mesh(int loops) throws IOException {
    var mesh = new MiniMesh(loops);
    toClose.add(mesh);
    return mesh.routed(OneRoute.noLimit());
  }

  private Server backend(int streams) {
    return peers.listen(ConnectionSettings.DEFAULT.withMaxConcurrentStreams(streams));
  }

  private static Exchange call(Connection app, String... headers) {
    return app.request(request(headers), true);
  }

  private static HeaderList request(String... more) {
    String[] fields = new String[more.length + 2];
    fields[0] = "content-type";
    fields[1] = "application/grpc";
    System.arraycopy(more, 0, fields, 2, more.length);
    return Heads.request(fields);
  }

  private static void answer(Exchange backend) {
    backend.send(Heads.headers(":status", "200", "grpc-status", "0"), true);
  }

  /** A loop without calls may have one more connection: the first connection of the transport. */
  private void assertUsed(Server server, int connections) {
    assertThat(server.connections).hasSizeBetween(connections, connections + loops - 1);
  }

  private static void assertNothingComes(Server server) throws InterruptedException {
    assertThat(server.streams.poll(150, TimeUnit.MILLISECONDS)).isNull();
  }

  @Conformance("A105-02")
  @Test
  void twoConnectionsCarryTheStreamsOfTwo() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(100);
    MiniMesh.Backend subchannel = mesh.backend(server.port()).limited(2);
    Connection app = peers.connect(mesh.port());
    for (int i = 0; i < 150; i++) {
      call(app);
    }

    Set<Connection> used = new HashSet<>();
    for (int i = 0; i < 150; i++) {
      used.add(server.nextStream().connection);
    }

    assertThat(used).hasSize(2);
    assertUsed(server, 2);
    assertThat(subchannel.states).containsExactly("READY");
  }

  @Conformance("A105-01")
  @Test
  void connectionsAreMadeOnlyForCallsThatWaitAndUpToTheLimit() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(2);
    mesh.backend(server.port()).limited(3);
    Connection app = peers.connect(mesh.port());

    List<Exchange> open = new ArrayList<>();
    for (int calls = 1; calls <= 6; calls++) {
      call(app);
      open.add(server.nextStream());
      assertUsed(server, (calls + 1) / 2);
    }
    call(app, "x-n", "waits");
    assertNothingComes(server);
    assertUsed(server, 3);

    answer(open.get(0));
    Exchange seventh = server.nextStream();
    assertThat(seventh.next()).contains("x-n=waits");
    assertThat(seventh.connection).isSameAs(open.get(0).connection);
  }

  /** Otherwise each connection would bring room for a thousand more cancelled requests. */
  @Conformance("A105-01")
  @Test
  void cancelledRequestsThatTheBackendHasNotReadOpenNoFurtherConnection() throws Exception {
    var others = new RawPeer();
    toClose.add(others);
    Server server = others.listen(ConnectionSettings.DEFAULT.withMaxConcurrentStreams(1_000));
    MiniMesh mesh = mesh(1);
    mesh.backend(server.port()).limited(3);
    Connection app = peers.connect(mesh.port());
    call(app);
    var pauses = new CountDownLatch(1);
    var reads = new CountDownLatch(1);
    server
        .nextStream()
        .run(
            stream -> {
              pauses.countDown();
              awaitQuietly(reads);
            });
    pauses.await(); // else the backend may read some of the next requests first

    for (int i = 0; i < 2_500; i++) {
      call(app).run(stream -> stream.reset(Http2Error.CANCEL));
    }
    call(app);
    assertNothingComes(server);
    reads.countDown();

    Await.until("they are read", () -> server.streams.size() > 1_000);
    assertThat(server.connections).hasSize(1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Conformance("A105-01")
  @Test
  void aCallGoesToTheOldestConnectionThatAdmitsIt() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(1);
    mesh.backend(server.port()).limited(2);
    Connection app = peers.connect(mesh.port());
    Exchange first = call(app);
    Exchange onOldest = server.nextStream();
    Exchange second = call(app);
    Exchange onNewest = server.nextStream();
    answer(onNewest);
    answer(onOldest);
    assertThat(first.next()).contains("grpc-status=0");
    assertThat(second.next()).contains("grpc-status=0");

    call(app);

    assertThat(server.nextStream().connection).isSameAs(onOldest.connection);
  }

  @Conformance("A105-01")
  @Test
  void aRaisedLimitServesThoseWhoWaitAndALoweredOneClosesNothing() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(1);
    MiniMesh.Backend subchannel = mesh.backend(server.port());
    Connection app = peers.connect(mesh.port());
    Exchange first = call(app);
    Exchange onFirst = server.nextStream();
    Exchange second = call(app);
    assertNothingComes(server);

    subchannel.limited(2);
    Exchange onSecond = server.nextStream();
    subchannel.limited(1);

    assertUsed(server, 2);
    answer(onFirst);
    answer(onSecond);
    assertThat(first.next()).contains("grpc-status=0");
    assertThat(second.next()).contains("grpc-status=0");
    assertThat(subchannel.states).containsExactly("READY");
  }

  @Conformance({"SC-36", "SC-37"})
  @Test
  void aBackendMayRaiseAndLowerItsStreamsAtAnyTime() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(100);
    mesh.backend(server.port());
    Connection app = peers.connect(mesh.port());
    Exchange begun = call(app);
    Exchange first = server.nextStream();
    first.connection.limitStreams(1);
    first.send(Heads.headers(":status", "200"), false);
    assertThat(begun.next()).contains(":status=200"); // so the limit has arrived before
    List<Exchange> apps = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      apps.add(call(app, "x-n", "" + i));
    }
    assertNothingComes(server);

    first.connection.limitStreams(3);
    Exchange second = server.nextStream();
    Exchange third = server.nextStream();
    assertThat(second.next()).contains("x-n=0");
    assertThat(third.next()).contains("x-n=1");
    assertNothingComes(server);

    first.connection.limitStreams(0);
    first.send(Heads.headers("grpc-status", "0"), true);
    answer(second);
    answer(third);
    assertThat(begun.next()).contains("grpc-status=0");
    assertThat(apps.get(0).next()).contains("grpc-status=0");
    assertThat(apps.get(1).next()).contains("grpc-status=0");
    assertNothingComes(server);

    first.connection.limitStreams(2);
    assertThat(server.nextStream().next()).contains("x-n=2");
    assertThat(server.nextStream().next()).contains("x-n=3");
    assertUsed(server, 1);
  }

  @Conformance({"SC-36", "A50-12"})
  @Test
  void aWaitEndsWithTheDeadlineOrTheAppAndHoldsUpNobody() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(1);
    MiniMesh.Backend subchannel = mesh.backend(server.port());
    Connection app = peers.connect(mesh.port());
    call(app);
    Exchange running = server.nextStream();

    Exchange late = call(app, "grpc-timeout", "100m");
    Exchange cancelled = call(app);
    Exchange patient = call(app, "x-n", "patient");
    assertThat(late.next()).contains("grpc-status=4");
    cancelled.run(stream -> stream.reset(Http2Error.CANCEL));
    // Wait until both calls have left; otherwise a stream that becomes free later could belong to
    // the second call.
    assertThat(subchannel.nextOutcome()).isEqualTo(CallOutcome.FAILURE);
    assertThat(subchannel.nextOutcome()).isEqualTo(CallOutcome.FAILURE);
    assertNothingComes(server);
    answer(running);

    Exchange next = server.nextStream();
    assertThat(next.next()).contains("x-n=patient");
    answer(next);
    assertThat(patient.next()).contains("grpc-status=0");
    assertThat(subchannel.nextOutcome()).isEqualTo(CallOutcome.SUCCESS);
    assertThat(subchannel.nextOutcome()).isEqualTo(CallOutcome.SUCCESS);
  }

  @Conformance("A105-01")
  @Test
  void aRefusedFurtherConnectionFailsNoCall() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(1);
    MiniMesh.Backend subchannel = mesh.backend(server.port()).limited(2);
    Connection app = peers.connect(mesh.port());
    Exchange first = call(app);
    Exchange onFirst = server.nextStream();
    server.refuseMore();

    Exchange second = call(app);
    assertNothingComes(server);
    answer(onFirst);
    answer(server.nextStream());

    assertThat(first.next()).contains("grpc-status=0");
    assertThat(second.next()).contains("grpc-status=0");
    assertThat(subchannel.states).containsExactly("READY");
  }

  @Conformance("A105-01")
  @Test
  void oneOfTwoConnectionsLostLeavesTheSubchannelReady() throws Exception {
    MiniMesh mesh = mesh();
    Server server = backend(1);
    MiniMesh.Backend subchannel = mesh.backend(server.port()).limited(2);
    Connection app = peers.connect(mesh.port());
    Exchange broken = call(app);
    Exchange onOldest = server.nextStream();
    Exchange unharmed = call(app);
    Exchange onNewest = server.nextStream();
    call(app, "x-n", "waits");

    onOldest.connection.run(c -> c.close(Http2Error.INTERNAL_ERROR, "dies"));

    assertThat(broken.next()).contains("grpc-status=14");
    Exchange waited = server.nextStream(); // on a connection that replaces the lost one
    assertThat(waited.next()).contains("x-n=waits");
    assertThat(waited.connection).isNotIn(onOldest.connection, onNewest.connection);
    answer(onNewest);
    assertThat(unharmed.next()).contains("grpc-status=0");
    assertThat(subchannel.states).containsExactly("READY");
  }

  @Conformance("A105-01")
  @Test
  void aConnectionThatOneLoopDoesNotNeedGoesToAnother() throws Exception {
    MiniMesh mesh = mesh(2);
    Server server = backend(1);
    mesh.backend(server.port()).limited(2);
    List<Connection> apps = List.of(peers.connect(mesh.port()), peers.connect(mesh.port()));

    for (Connection app : apps) { // one app per loop; each loop opens two connections
      Exchange first = call(app);
      Exchange onFirst = server.nextStream();
      Exchange second = call(app);
      Exchange onSecond = server.nextStream();
      assertThat(onSecond.connection).isNotSameAs(onFirst.connection);
      answer(onFirst);
      answer(onSecond);
      assertThat(first.next()).contains("grpc-status=0");
      assertThat(second.next()).contains("grpc-status=0");
    }

    // The additional connection of the second loop replaces the idle connection of the first loop.
    CompletableFuture.anyOf(
            server.connections.stream().map(c -> c.closed).toArray(CompletableFuture<?>[]::new))
        .get(60, TimeUnit.SECONDS);
  }
}
