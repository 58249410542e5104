package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.WaitingClock;
import io.outrigger.endtoend.StrictBackend.Beyond;
import io.outrigger.endtoend.StrictBackend.Limits;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Backends that serve fewer connections than there are event loops. */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class ConnectionLimitIT {
  /** Of each call; none may need a good part of it. */
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final Mesh mesh = new Mesh();

  @AfterEach
  void close() {
    mesh.close();
  }

  private StrictBackend serve(int loops, Limits limits) throws Exception {
    StrictBackend backend = mesh.keep(new StrictBackend("a", limits));
    mesh.controlPlane.serve(
        Xds.cluster("A"),
        Xds.endpoints("A", Xds.locality("a", 0, 1, List.of(backend.port()))),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.with(Flag.THREADS, "" + loops).startReady();
    return backend;
  }

  /** Apps whose connections are spread over all loops. */
  private List<App> apps() {
    List<App> apps = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      apps.add(mesh.app());
    }
    return apps;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void furtherConnectionsThatAreClosedAtOnceCostNothing(int loops) throws Exception {
    StrictBackend backend = serve(loops, new Limits().connections(1, Beyond.CLOSED));
    long start = WaitingClock.nanoTime();
    List<Load> loads = apps().stream().map(app -> mesh.load(app, "test.Pay/Charge", 50)).toList();

    loads.forEach(load -> load.awaitMore("a", 150));
    loads.forEach(Load::close);

    assertThat(loads).allSatisfy(load -> assertThat(load.failures()).isEmpty());
    assertThat(backend.everServed()).isEqualTo(1);
    int seconds = (int) Duration.ofNanos(WaitingClock.nanoTime() - start).toSeconds();
    assertThat(backend.turnedAway()).isBetween(loops > 1 ? 1 : 0, (seconds + 2) * loops); // paced
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatIsNeverAnsweredKeepsNobodyWaiting(Beyond beyond) throws Exception {
    StrictBackend backend = serve(2, new Limits().connections(1, beyond));
    List<App> apps = apps();

    Duration longest = Duration.ZERO;
    for (int round = 0; round < 20; round++) {
      for (App app : apps) {
        long start = WaitingClock.nanoTime();
        App.Reply reply = App.join(app.send("test.Pay/Charge", DEADLINE));
        Duration time = Duration.ofNanos(WaitingClock.nanoTime() - start);
        assertThat(reply.status().isOk()).as(reply.toString()).isTrue();
        longest = time.compareTo(longest) > 0 ? time : longest;
      }
    }

    assertThat(longest).isLessThan(Duration.ofSeconds(3));
    assertThat(backend.everServed()).isEqualTo(1);
    assertThat(backend.turnedAway()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void callsOfAllLoopsWaitForTheStreamsOfTheOneConnection(int loops) throws Exception {
    StrictBackend backend =
        serve(
            loops,
            new Limits().connections(1, Beyond.CLOSED).streams(3).answerTime(Duration.ofMillis(2)));
    List<CompletableFuture<App.Reply>> calls = new ArrayList<>();

    for (App app : apps()) {
      for (int i = 0; i < 100; i++) {
        calls.add(app.send("test.Pay/Charge", DEADLINE));
      }
    }

    assertThat(calls).allSatisfy(call -> assertThat(App.join(call).backend()).isEqualTo("a"));
    assertThat(backend.calls()).isEqualTo(400);
  }

  /** A window of the body has left, the rest waits for the backend, perhaps on another loop. */
  @Conformance("SC-34")
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aLargeRequestThatIsRefusedIsSentAgain(int loops) throws Exception {
    StrictBackend backend =
        serve(loops, new Limits().connections(1, Beyond.CLOSED).refusingEverySecond());
    String body = "x".repeat(300_000);
    List<App> apps = apps();

    for (App app : apps) {
      for (int i = 0; i < 3; i++) {
        App.Reply reply = App.join(app.sendText("test.Pay/Charge", DEADLINE, body));
        assertThat(reply.status().isOk()).as(reply.toString()).isTrue();
      }
    }

    assertThat(backend.calls()).isBetween(22, 24); // nearly each of 12 was sent twice
  }
}
