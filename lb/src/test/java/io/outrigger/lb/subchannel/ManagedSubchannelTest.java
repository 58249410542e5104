package io.outrigger.lb.subchannel;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.Connector.Ending;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ManagedSubchannelTest {
  private static final String E1 = "10.0.0.1:80";
  private static final long NO_JITTER = 1L << 19;

  private final FakeControlLoop loop = new FakeControlLoop();
  private final FakeConnector connector = new FakeConnector();
  private final ScriptedRandom random = new ScriptedRandom(1);
  private final List<Connectivity> states = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final List<ConnectionEvent> connections = new ArrayList<>();
  private final ManagedSubchannel subchannel =
      new ManagedSubchannel(
          loop,
          connector,
          random,
          Samples.backend(E1),
          Samples.address(E1),
          new Subchannel.Listener() {
            @Override
            public void onState(Connectivity state, RpcStatus reason) {
              states.add(state);
              reasons.add(reason.message());
            }

            @Override
            public void onConnection(ConnectionEvent event) {
              connections.add(event);
            }
          });

  @Test
  void itIsToOneAddressOfItsEndpoint() {
    assertThat(subchannel.backend()).isEqualTo(Samples.backend(E1));
    assertThat(subchannel.address()).isEqualTo(Samples.address(E1));
    assertThat(subchannel.calls()).as("nodes above count").isEqualTo(SubchannelCalls.NONE);
  }

  @Test
  void connectsOnlyWhenAsked() {
    loop.advance(Duration.ofMinutes(5));
    assertThat(connector.count()).isZero();

    connect();
    loop.inside(() -> connector.last(E1).ready());

    assertThat(states).containsExactly(CONNECTING, READY);
    assertThat(subchannel.transport())
        .isEqualTo(new FakeConnector.FakeTransport(Samples.address(E1), 0));
  }

  @Conformance("A105-01")
  @Test
  void theLimitOfConnectionsHoldsForThisConnectionAndTheNext() {
    connect();
    assertThat(connector.last(E1).maxConnections()).isEqualTo(1);

    loop.inside(() -> subchannel.limitConnections(3));
    assertThat(connector.last(E1).maxConnections()).isEqualTo(3);
    loop.inside(() -> subchannel.limitConnections(10));
    assertThat(connector.last(E1).maxConnections()).isEqualTo(10);

    loop.inside(() -> connector.last(E1).ready());
    loop.inside(() -> connector.last(E1).end("closed"));
    connect();
    assertThat(connector.count()).isEqualTo(2);
    assertThat(connector.last(E1).maxConnections()).isEqualTo(10);
  }

  @Test
  void askingAgainWhileConnectingOrReadyChangesNothing() {
    connect();
    connect();
    loop.inside(() -> connector.last(E1).ready());
    connect();

    assertThat(connector.count()).isEqualTo(1);
  }

  @Test
  void aLostConnectionIsNotMadeAgainUnasked() {
    connect();
    loop.inside(() -> connector.last(E1).ready());

    loop.inside(() -> connector.last(E1).end("reset"));
    loop.advance(Duration.ofMinutes(5));

    assertThat(states).containsExactly(CONNECTING, READY, IDLE);
    assertThat(subchannel.transport()).isNull();
    assertThat(connector.count()).isEqualTo(1);
  }

  @Test
  void aFailureNamesTheAddress() {
    connect();

    loop.inside(() -> connector.last(E1).end("refused"));

    assertThat(reasons).last().isEqualTo(E1 + ": refused");
  }

  @Conformance("A29-14")
  @Test
  void anAttemptThatCouldNotBeginEndsTheBackOffWhenItCan() {
    connect();
    loop.inside(() -> connector.last(E1).end("no certificates yet"));
    loop.inside(() -> connector.last(E1).remedied());

    assertThat(states).containsExactly(CONNECTING, TRANSIENT_FAILURE, IDLE);
    connect();
    assertThat(connector.count()).isEqualTo(2);
    loop.advance(Duration.ofMinutes(5));
    assertThat(states).last().as("the back-off is over").isEqualTo(CONNECTING);
  }

  @Conformance("A29-14")
  @Test
  void aRemedyStartsTheBackOffOver() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER, NO_JITTER, NO_JITTER);
    failAndMeasureBackoff();
    connect();
    loop.inside(() -> connector.last(E1).end("no certificates yet"));
    loop.inside(() -> connector.last(E1).remedied());

    assertThat(failAndMeasureBackoff()).isEqualTo(Duration.ofMillis(1000));
  }

  @Test
  void aRemedyThatComesTooLateChangesNothing() {
    connect();
    loop.inside(() -> connector.last(E1).end("no certificates yet"));
    var first = connector.last(E1);
    loop.advance(Duration.ofMinutes(5));
    connect();
    assertThat(first.isGivenUp()).isTrue();

    loop.inside(first::remedied);

    assertThat(states).containsExactly(CONNECTING, TRANSIENT_FAILURE, IDLE, CONNECTING);
  }

  @Conformance("SC-50")
  @Test
  void backOffGrowsFromOneSecondAndStartsOverAfterReady() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER, NO_JITTER, NO_JITTER);

    assertThat(failAndMeasureBackoff()).isEqualTo(Duration.ofMillis(1000));
    assertThat(failAndMeasureBackoff()).isEqualTo(Duration.ofMillis(1600));
    connect();
    loop.inside(() -> connector.last(E1).ready());
    loop.inside(() -> connector.last(E1).end("reset"));

    assertThat(failAndMeasureBackoff()).isEqualTo(Duration.ofMillis(1000));
  }

  @Conformance("SC-50")
  @Test
  void backOffRunsFromTheStartOfTheAttempt() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER);
    connect();
    loop.advance(Duration.ofMillis(700));

    loop.inside(() -> connector.last(E1).end("refused"));
    loop.advance(Duration.ofMillis(299));
    assertThat(states).last().isEqualTo(TRANSIENT_FAILURE);
    loop.advance(Duration.ofMillis(1));

    assertThat(states).last().isEqualTo(IDLE);
  }

  @Conformance("SC-50")
  @Test
  void anAttemptThatHadToWaitForOthersStartsWhenItBegins() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER);
    connect();
    loop.advance(Duration.ofMillis(600));
    loop.inside(() -> connector.last(E1).begun());

    loop.advance(Duration.ofMillis(300));
    loop.inside(() -> connector.last(E1).end("refused"));
    loop.advance(Duration.ofMillis(699));
    assertThat(states).containsExactly(CONNECTING, TRANSIENT_FAILURE);
    loop.advance(Duration.ofMillis(1));
    assertThat(states).containsExactly(CONNECTING, TRANSIENT_FAILURE, IDLE);
  }

  @Conformance("SC-50")
  @Test
  void anAttemptThatTookLongerThanTheBackOffMayBeRepeatedAtOnce() {
    connect();
    loop.advance(Duration.ofSeconds(20));

    loop.inside(() -> connector.last(E1).end("timed out after 20 s"));

    assertThat(states).containsExactly(CONNECTING, TRANSIENT_FAILURE, IDLE);
  }

  @Test
  void aBackendThatClosesEachConnectionAtOnceIsPaced() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER, NO_JITTER);
    makeAndLose();
    makeAndLose();
    connect();

    assertThat(connector.count()).isEqualTo(2);
    assertThat(states).last().isEqualTo(TRANSIENT_FAILURE);
    assertThat(reasons).last().isEqualTo(E1 + ": ends as soon as it is made: bye");
    loop.advance(Duration.ofMillis(999));
    assertThat(states).last().isEqualTo(TRANSIENT_FAILURE);
    loop.advance(Duration.ofMillis(1));
    assertThat(states).last().isEqualTo(IDLE);

    makeAndLose();
    connect();
    loop.advance(Duration.ofMillis(1599));
    assertThat(states).last().isEqualTo(TRANSIENT_FAILURE);
    loop.advance(Duration.ofMillis(1));
    assertThat(states).last().isEqualTo(IDLE);
    assertThat(connector.count()).isEqualTo(3);
  }

  @Test
  void aConnectionThatLivedAWhileIsMadeAgainWithoutDelay() {
    makeAndLose();
    connect();
    loop.inside(() -> connector.last(E1).ready());
    loop.advance(ManagedSubchannel.SHORT_LIFE);
    loop.inside(() -> connector.last(E1).end("bye"));
    makeAndLose();
    connect();

    assertThat(connector.count()).isEqualTo(4);
    assertThat(states).doesNotContain(TRANSIENT_FAILURE);
  }

  @Conformance("SC-35")
  @Test
  void aConnectionThatServedIsFollowedAtOnceHoweverShortItWas() {
    for (int i = 0; i < 20; i++) {
      connect();
      loop.inside(() -> connector.last(E1).ready());
      loop.inside(() -> connector.last(E1).end("GOAWAY NO_ERROR", Ending.SERVED));
    }
    connect();

    assertThat(connector.count()).isEqualTo(21);
    assertThat(states).doesNotContain(TRANSIENT_FAILURE);
  }

  @Test
  void aConnectionThatServedEndsThePaceOfBrokenOnes() {
    makeAndLose();
    connect();
    loop.inside(() -> connector.last(E1).ready());
    loop.inside(() -> connector.last(E1).end("bye", Ending.SERVED));
    makeAndLose();
    connect();

    assertThat(connector.count()).isEqualTo(4);
    assertThat(states).doesNotContain(TRANSIENT_FAILURE);
  }

  @Test
  void aConnectionThatServedStartsThePaceOver() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER, NO_JITTER, NO_JITTER);
    makeAndLose();
    makeAndLose();
    loop.advance(Duration.ofSeconds(1));
    connect();
    loop.inside(() -> connector.last(E1).ready());
    loop.inside(() -> connector.last(E1).end("bye", Ending.SERVED));

    makeAndLose();
    makeAndLose();
    loop.advance(Duration.ofSeconds(1));
    connect();

    assertThat(connector.count()).isEqualTo(6);
    assertThat(states).doesNotContain(TRANSIENT_FAILURE);
  }

  @Conformance("SC-35")
  @Test
  void anUnusedConnectionKeepsTheNextWaitingForAMomentAndFailsNobody() {
    for (int made = 1; made <= 5; made++) {
      connect();
      assertThat(connector.count()).isEqualTo(made);
      loop.advance(Duration.ofMillis(60));
      loop.inside(() -> connector.last(E1).ready());
      loop.inside(() -> connector.last(E1).end("GOAWAY NO_ERROR", Ending.UNUSED));

      connect();
      loop.advance(Duration.ofMillis(39));
      assertThat(connector.count()).isEqualTo(made);
      assertThat(states).last().isEqualTo(CONNECTING);
      loop.advance(Duration.ofMillis(1));
    }

    assertThat(connector.count()).isEqualTo(6);
    assertThat(states).doesNotContain(TRANSIENT_FAILURE);
  }

  @Test
  void closingWhileAnAttemptWaitsMakesNone() {
    connect();
    loop.inside(() -> connector.last(E1).ready());
    loop.inside(() -> connector.last(E1).end("GOAWAY NO_ERROR", Ending.UNUSED));
    connect();

    loop.inside(subchannel::close);
    loop.advance(Duration.ofMinutes(5));

    assertThat(connector.count()).isEqualTo(1);
    assertThat(loop.pendingTimers()).isZero();
  }

  @Test
  void aPauseThatIsOverDelaysNothing() {
    random.next(Purpose.BACKOFF_JITTER, NO_JITTER);
    makeAndLose();
    makeAndLose();
    loop.advance(Duration.ofSeconds(1));
    connect();

    assertThat(connector.count()).isEqualTo(3);
    assertThat(states).last().isEqualTo(CONNECTING);
  }

  @Test
  void closingDuringAPauseEndsAllNews() {
    makeAndLose();
    makeAndLose();
    loop.inside(
        () -> {
          subchannel.requestConnection();
          subchannel.close();
        });
    loop.advance(Duration.ofMinutes(5));

    assertThat(states).last().isEqualTo(CONNECTING);
  }

  private void makeAndLose() {
    connect();
    loop.inside(() -> connector.last(E1).ready());
    loop.inside(() -> connector.last(E1).end("bye"));
  }

  @Test
  void askingDuringBackOffDoesNotShortenIt() {
    connect();
    loop.inside(() -> connector.last(E1).end("refused"));

    connect();

    assertThat(connector.count()).isEqualTo(1);
  }

  @Test
  void closingGivesTheConnectionUpAndEndsAllNews() {
    connect();
    loop.inside(() -> connector.last(E1).ready());

    loop.inside(subchannel::close);
    loop.inside(() -> connector.last(E1).end("drained"));
    connect();

    assertThat(connector.last(E1).isGivenUp()).isTrue();
    assertThat(subchannel.transport()).isNull();
    assertThat(states).containsExactly(CONNECTING, READY);
    assertThat(connector.count()).isEqualTo(1);
  }

  @Test
  void closingDuringBackOffLeavesNoTimerAndWaitsForNoRemedy() {
    connect();
    loop.inside(() -> connector.last(E1).end("refused"));

    loop.inside(subchannel::close);

    assertThat(loop.pendingTimers()).isZero();
    assertThat(connector.last(E1).isGivenUp()).isTrue();
  }

  @Test
  void anAttemptThatSucceedsAfterClosingIsIgnored() {
    connect();
    loop.inside(subchannel::close);

    loop.inside(() -> connector.last(E1).ready());

    assertThat(states).containsExactly(CONNECTING);
    assertThat(subchannel.transport()).isNull();
  }

  @Conformance("A94-01")
  @Test
  void whatBecomesOfItsConnectionsIsToldUntilItIsClosed() {
    connect();
    loop.inside(() -> connector.last(E1).end("refused"));
    loop.advance(Duration.ofMinutes(5));
    connect();
    loop.inside(() -> connector.last(E1).ready());
    assertThat(connections)
        .containsExactly(new ConnectionEvent.Failed(), new ConnectionEvent.Made());

    loop.inside(subchannel::close);
    loop.inside(() -> connector.last(E1).end("drained"));

    assertThat(connections).hasSize(2);
  }

  @Test
  void itLivesOnTheControlLoopAlone() {
    connect();
    FakeConnector.FakeAttempt attempt = connector.last(E1);

    List<ThrowingCallable> calls =
        List.of(
            subchannel::requestConnection,
            subchannel::close,
            () -> subchannel.limitConnections(1),
            () ->
                attempt.listener().onReady(new FakeConnector.FakeTransport(Samples.address(E1), 0)),
            () -> attempt.listener().onClosed(RpcStatus.unavailable(""), Ending.BROKEN),
            () -> attempt.listener().onRemedied(),
            () -> attempt.listener().onConnection(new ConnectionEvent.Made()));

    assertThat(calls)
        .allSatisfy(call -> assertThatThrownBy(call).isInstanceOf(IllegalStateException.class));
  }

  private Duration failAndMeasureBackoff() {
    connect();
    long start = loop.nanoTime();
    loop.inside(() -> connector.last(E1).end("refused"));
    while (states.get(states.size() - 1) != IDLE) {
      loop.advance(Duration.ofMillis(1));
    }
    return Duration.ofNanos(loop.nanoTime() - start);
  }

  private void connect() {
    loop.inside(subchannel::requestConnection);
  }
}
