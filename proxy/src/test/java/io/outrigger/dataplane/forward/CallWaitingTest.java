package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.route.ConfigSelector;
import io.outrigger.dataplane.route.ForwardTarget;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.lb.tree.PickQueue.ParkedCall;
import io.outrigger.program.testing.mesh.DefaultSettings;
import io.outrigger.program.testing.mesh.OneRoute;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests requests that wait for a configuration, a pick or a stream, and the limits for waiting
 * requests.
 */
class CallWaitingTest {
  private static final String OPT_IN = "x-outrigger-wait-for-ready";

  private final CallScript script = new CallScript();
  private final FakeBackend backend = script.backend;

  @Conformance("A31-02")
  @Test
  void aRequestBeforeTheFirstConfigurationWaitsAndItsTimeRuns() {
    script.picks(backend.use);
    script.unary("grpc-timeout", "10S");
    assertThat(script.target.parked()).isEqualTo(1);
    assertThat(script.forward.totals().queued()).isEqualTo(1);

    script.time.advance(Duration.ofSeconds(3));
    script.routed(OneRoute.noLimit());
    script.time.run();

    assertThat(backend.stream().log.get(0)).contains("grpc-timeout=7000000u");
    assertThat(script.forward.totals().queued()).isZero();
  }

  @Conformance("SC-20")
  @Test
  void theQueueIsReleasedInOrderOfArrival() {
    script.routed(OneRoute.noLimit());
    script.unary("x-n", "1");
    script.unary("x-n", "2");
    script.unary("x-n", "3");
    assertThat(script.cluster.parked()).isEqualTo(3);

    script.picks(backend.use);

    assertThat(backend.streams).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertThat(backend.streams.get(i).log.get(0)).contains("x-n=" + (i + 1));
    }
  }

  @Conformance("SC-20")
  @Test
  void theQueueFailsWhenTheClusterDoes() {
    script.routed(OneRoute.noLimit());
    var app = script.unary();

    script.fails("all 2 endpoints failed");

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(script.forward.totals().queued()).isZero();
  }

  @Conformance("SC-21")
  @Test
  void waitingForReadyOutlastsAFailureButNotADrop() {
    script.routed(OneRoute.noLimit()).fails("down");
    var patient = script.unary(OPT_IN, "true");
    var other = script.unary(OPT_IN, "false");
    assertThat(patient.stream.log).isEmpty();
    assertThat(other.field("grpc-status")).isEqualTo("14");

    script.picks(backend.use);
    assertThat(backend.stream().log.get(0)).doesNotContain(OPT_IN);

    script.picks(new PickResult.Fail(RpcStatus.unavailable("cluster is invalid"), true));
    var waiting = script.unary(OPT_IN, "true");
    assertThat(waiting.stream.log).isEmpty();
    script.picks(backend.use);
    assertThat(waiting.stream.log).isEmpty();
    assertThat(script.forward.totals().queued()).isZero();

    var dropped = RpcStatus.unavailable("dropped");
    script.picks(new PickResult.Drop(dropped, PickResult.Reason.CIRCUIT_BREAKER));
    var drop = script.unary(OPT_IN, "true");
    assertThat(drop.field("grpc-status")).isEqualTo("14");
    assertThat(drop.field("x-outrigger-local")).isEqualTo("circuit_breaker");
  }

  @Conformance("SC-22")
  @Test
  void oneRequestTooManyIsTurnedAway() {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 2, 1 << 20));
    script.routed(OneRoute.noLimit());
    var first = script.unary();
    script.unary();

    var third = script.unary();
    assertThat(third.field("grpc-status")).isEqualTo("14");
    assertThat(third.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(third.field("grpc-message"))
        .startsWith("too many requests wait in forward \"orders\"; ");

    first.call.onReset(Http2Error.CANCEL);
    assertThat(script.unary().stream.log).isEmpty();
  }

  @Conformance("SC-22")
  @Test
  void bytesOfWaitingRequestsAreBounded() {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 100, 2000));
    script.routed(OneRoute.noLimit());
    var app = script.streaming();
    app.data("x".repeat(1000), false);
    assertThat(app.stream.log).isEmpty();

    app.data("x".repeat(1000), false);

    assertThat(app.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(script.unreleased()).isZero();
    assertThat(script.forward.queueLimit.bytes().held()).isZero();
    assertThat(script.forward.queueLimit.requests().held()).isZero();
  }

  @Test
  void aKeptBodyFollowsTheHeadInOrderAndItsCreditReturnsThen() {
    script.routed(OneRoute.noLimit());
    var app = script.streaming();
    app.data("one", false).data("two", true);
    assertThat(app.stream.credit).isZero();

    script.picks(backend.use);

    assertThat(backend.stream().log.subList(1, 2)).containsExactly("D(onetwo)!");
    assertThat(app.stream.credit).isEqualTo(6);
    assertThat(script.forward.queueLimit.bytes().held()).isZero();
    script.succeed();
  }

  @Test
  void aLargeKeptBodyFollowsInItsParts() {
    String large = "x".repeat(ReplayBuffer.MAX_BYTES);
    script.routed(OneRoute.noLimit());
    var app = script.streaming();
    app.data("one", false).data(large, false).data("two", true);

    script.picks(backend.use);

    String all = "one" + large + "two";
    int most = ReplayBuffer.MAX_BYTES;
    assertThat(backend.stream().log.subList(1, 3))
        .containsExactly("D(" + all.substring(0, most) + ")", "D(" + all.substring(most) + ")!");
    assertThat(app.stream.credit).isEqualTo(6 + large.length());
    assertThat(script.forward.queueLimit.bytes().held()).isZero();
    script.succeed();
  }

  @Conformance({"SC-12", "A50-12"})
  @Test
  void anAppThatLeavesVanishesFromEveryQueue() {
    var unrouted = script.streaming();
    unrouted.data("a", false);
    unrouted.call.onReset(Http2Error.CANCEL);
    assertThat(script.target.parked()).isZero();

    script.routed(OneRoute.noLimit());
    var unpicked = script.streaming();
    unpicked.data("b", false);
    unpicked.call.onConnectionLost(StreamHandler.Refusal.NONE, "closed");
    assertThat(script.cluster.parked()).isZero();
    assertThat(script.cluster.callsInUse()).isZero();

    backend.mode = FakeBackend.Mode.WAITS;
    script.picks(backend.use);
    var unopened = script.streaming();
    unopened.data("c", false);
    unopened.call.onReset(Http2Error.CANCEL);
    assertThat(backend.waiters).isEmpty();
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);

    assertThat(script.unreleased()).isZero();
    assertThat(script.forward.totals().queued()).isZero();
    assertThat(List.of(unrouted, unpicked, unopened))
        .allSatisfy(app -> assertThat(app.stream.log).isEmpty());
  }

  @Test
  void aWakeUpThatMeetsAnEndedCallDoesNothing() {
    script.routed(OneRoute.noLimit());
    var app = script.unary();

    script.time.inside(
        () -> {
          ClusterHandles.publish(script.cluster, Connectivity.READY, call -> backend.use);
          app.call.onReset(Http2Error.CANCEL); // the wake-up is posted, not run
        });

    assertThat(backend.streams).isEmpty();
  }

  @Conformance("A50-14")
  @Test
  void aPickWithoutTransportWaitsForTheNextPickerWithoutSpinning() {
    backend.hasTransport = false;
    int[] picks = new int[1];
    script.routed(OneRoute.noLimit());
    script.publishes(
        Connectivity.READY,
        call -> {
          picks[0]++;
          return backend.use;
        });
    script.unary();

    assertThat(picks[0]).isEqualTo(1);
    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT);

    backend.hasTransport = true;
    script.picks(backend.use);
    assertThat(backend.streams).hasSize(1);
  }

  @Conformance("A50-14")
  @Test
  void aConnectionThatTakesNoMoreStreamsIsPickedAgain() {
    backend.mode = FakeBackend.Mode.REFUSES;
    script.routed(OneRoute.noLimit()).picks(backend.use);
    script.unary();
    var other = new FakeBackend("10.0.0.2");

    script.picks(other.use);

    assertThat(other.streams).hasSize(1);
    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT);
  }

  @Conformance({"SC-36", "A50-12"})
  @Test
  void waitingForAStreamIsNoFailureUntilTheDeadlineAndKeepsTheOrder() {
    backend.mode = FakeBackend.Mode.WAITS;
    script.routed(OneRoute.noLimit()).picks(backend.use);
    script.unary("x-n", "1");
    var second = script.unary("x-n", "2", "grpc-timeout", "1S");
    script.unary("x-n", "3");

    script.time.advance(Duration.ofMillis(1010));
    assertThat(second.field("grpc-status")).isEqualTo("4");
    assertThat(second.field("grpc-message")).contains("a stream to 10.0.0.1:80");
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE);

    backend.openAll();
    assertThat(backend.streams.get(0).log.get(0)).contains("x-n=1");
    assertThat(backend.streams.get(1).log.get(0)).contains("x-n=3");
    script.respond();
    script.succeed();
    assertThat(backend.outcomes).containsExactly(CallOutcome.FAILURE, CallOutcome.SUCCESS);
  }

  @Conformance("A50-12")
  @Test
  void aCallThatWeHaveNoRoomForSaysNothingOfTheBackendThatItWaitsFor() {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 1, 1 << 20));
    backend.mode = FakeBackend.Mode.WAITS;
    script.routed(OneRoute.noLimit()).picks(backend.use);
    var first = script.unary();

    var second = script.unary();
    first.call.onReset(Http2Error.CANCEL);

    assertThat(second.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT, CallOutcome.FAILURE);
  }

  @Conformance("A50-14")
  @Test
  void aConnectionAttemptThatFailsLeadsToAnotherPick() {
    backend.mode = FakeBackend.Mode.WAITS;
    script.routed(OneRoute.noLimit()).picks(backend.use);
    script.unary();
    var other = new FakeBackend("10.0.0.2");

    backend.failAll();
    assertThat(script.cluster.parked()).isEqualTo(1);
    script.picks(other.use);

    assertThat(backend.outcomes).containsExactly(CallOutcome.NOT_SENT);
    assertThat(other.streams).hasSize(1);
  }

  @Test
  void aTargetThatCannotBeMadeTurnsRequestsAway() {
    Outcome<ForwardTarget> full = Outcome.failed(RpcStatus.unavailable("100 targets are in use"));
    script.forward =
        new Forward(
            "any",
            DefaultSettings.forward("node-1"),
            authority -> full,
            call -> {},
            CallTracer.NONE,
            script.memory.gauge,
            1);

    var app = script.unary();

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(app.field("grpc-message")).contains("100 targets").contains("node-1");
    assertThat(app.field("x-outrigger-local")).isEqualTo("overload");
  }

  @Test
  void requestsThatArriveWhileMemoryIsFullAreTurnedAway() {
    script.ready();
    var running = script.streaming();
    script.memory.hold(100);

    var refused = script.unary();
    running.data("still welcome", false);
    script.memory.hold(99);
    script.unary();

    assertThat(refused.field("grpc-status")).isEqualTo("14");
    assertThat(refused.field("grpc-message")).contains("--max-memory").contains("node-1");
    assertThat(refused.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(backend.streams).hasSize(2);
    assertThat(backend.streams.get(0).log).anyMatch(line -> line.contains("still welcome"));
    running.call.onReset(Http2Error.CANCEL);
  }

  @Test
  void aRequestThatWaitsOutlivesTheRemovalOfItsCluster() {
    script.routed(OneRoute.noLimit());
    var app = script.unary();
    ClusterHandles.retire(script.cluster);

    script.picks(backend.use);
    script.respond();
    script.succeed();

    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(script.cluster.callsInUse()).isZero();
  }

  @Conformance("SC-21")
  @Test
  void aRequestThatWaitsForReadyOutlastsTheWantOfAConfiguration() {
    var app = script.unary("x-outrigger-wait-for-ready", "true", "grpc-timeout", "10S");
    var failure = RpcStatus.unavailable("xds server 10.9.9.9:15010: connection refused");
    script.target.publish(ConfigSelector.failing(failure, false));
    script.time.run();
    script.target.publish(ConfigSelector.failing(RpcStatus.unavailable("still refused"), false));
    script.time.run();
    var impatient = script.unary();
    assertThat(impatient.field("grpc-status")).isEqualTo("14");
    assertThat(app.stream.log).isEmpty();

    script.ready();
    script.time.run();
    script.respond();
    script.succeed();

    assertThat(app.field("grpc-status")).isEqualTo("0");
    assertThat(script.target.parked()).isZero();
  }

  @Conformance("SC-21")
  @Test
  void itsDeadlineEndsSuchAWaitAndSaysWhatFor() {
    script.target.publish(
        ConfigSelector.failing(RpcStatus.unavailable("connection refused"), false));
    var app = script.unary("x-outrigger-wait-for-ready", "true", "grpc-timeout", "10S");

    script.time.advance(Duration.ofSeconds(11));

    assertThat(app.field("grpc-status")).isEqualTo("4");
    assertThat(app.field("grpc-message"))
        .contains("the configuration of xds:///orders: connection");
    assertThat(script.target.parked()).isZero();
  }

  @Test
  void requestsThatWaitForAConfigurationFailWithTheReasonThatThereIsNone() {
    var app = script.unary();

    String reason = "xds server 10.9.9.9:15010: connection refused (xDS node ID: node-1)";
    script.target.publish(ConfigSelector.failing(RpcStatus.unavailable(reason), false));
    script.time.run();

    assertThat(app.field("grpc-status")).isEqualTo("14");
    assertThat(app.field("grpc-message")).isEqualTo(reason);
    assertThat(app.field("x-outrigger-local")).isEqualTo("xds_error");
  }

  @Conformance("SC-22")
  @Test
  void aRequestThatIsTurnedAwayWaitsNowhere() {
    script.forward =
        script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 0, 1 << 20));

    var app = script.unary();

    assertThat(app.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(script.target.parked()).isZero();
  }

  /** Headers count towards the byte limit, as bodies do. */
  @Conformance("SC-22")
  @Test
  void aHeadForWhichThereIsNoRoomIsTurnedAway() {
    script.forward = script.forward(DefaultSettings.forward(new AuthorityMode.OfTarget(), 100, 9));
    script.routed(OneRoute.noLimit());

    var app = script.unary();

    assertThat(app.field("x-outrigger-local")).isEqualTo("overload");
    assertThat(script.cluster.parked()).isZero();
    assertThat(script.forward.queueLimit.bytes().held()).isZero();
    assertThat(script.forward.queueLimit.requests().held()).isZero();
  }

  @Conformance("A31-02")
  @Test
  void aConfigurationThatComesJustBeforeTheWaitIsNotMissed() {
    script.picks(backend.use);
    ForwardTarget late =
        new ForwardTarget() {
          @Override
          public String name() {
            return script.target.name();
          }

          @Override
          public String authority() {
            return script.target.authority();
          }

          @Override
          public @Nullable ConfigSelector selector() {
            ConfigSelector seen = script.target.selector();
            script.routed(OneRoute.noLimit()); // after it was read
            return seen;
          }

          @Override
          public long park(ParkedCall call, @Nullable ConfigSelector seen) {
            return script.target.park(call, seen);
          }

          @Override
          public boolean unpark(long ticket) {
            return script.target.unpark(ticket);
          }
        };
    script.forward =
        new Forward(
            "orders",
            DefaultSettings.forward("node-1"),
            TargetResolver.fixed(late),
            call -> {},
            CallTracer.NONE,
            DefaultSettings.MEMORY,
            1);

    script.unary();

    assertThat(backend.streams).hasSize(1);
    assertThat(script.target.parked()).isZero();
    assertThat(script.forward.totals().queued()).isZero();
  }
}
