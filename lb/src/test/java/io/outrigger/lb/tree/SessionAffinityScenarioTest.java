package io.outrigger.lb.tree;

import static io.outrigger.config.endpoint.HealthStatus.DRAINING;
import static io.outrigger.config.endpoint.HealthStatus.HEALTHY;
import static io.outrigger.config.endpoint.HealthStatus.UNHEALTHY;
import static io.outrigger.config.endpoint.HealthStatus.UNKNOWN;
import static io.outrigger.lb.testing.Samples.endpoint;
import static io.outrigger.lb.testing.Samples.locality;
import static io.outrigger.lb.testing.Samples.priorities;
import static io.outrigger.lb.testing.Samples.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.SessionCall;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions in a cluster of two priorities, through its whole tree (A75, A55). */
class SessionAffinityScenarioTest {
  private static final String A = "10.0.0.1:80";
  private static final String B = "10.0.0.2:80";
  private static final String C = "10.0.1.1:80";
  private static final String D = "10.0.1.2:80";
  private static final EndpointSet AB_CD = priorities(zone("x", A, B), zone("y", C, D));

  private final LbScript lb = new LbScript();
  private Set<HealthStatus> statuses = Set.of(UNKNOWN, HEALTHY);
  private Duration idleTimeout = Duration.ofSeconds(10);
  private Optional<OutlierDetection> detection = Optional.empty();

  @Conformance("A75-27")
  @Test
  void theSessionFollowsItsEndpointIntoAnotherPriority() {
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);

    apply(priorities(zone("x", B), zone("y", C, D, A)));

    assertThat(answered(SessionCall.to(A))).isEqualTo(A);
    assertThat(lb.shares("pay", 10)).containsOnlyKeys(B);
    assertThat(lb.connector().count(A)).isEqualTo(1);
  }

  @Conformance("A75-28")
  @Test
  void theSessionStaysWhereItWasWhenABetterPriorityRecovers() {
    start(priorities(zone("x", A), zone("y", C, D)));
    lb.end(A);
    lb.end(A);
    lb.ready(C, D);
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);

    lb.advance(Duration.ofMinutes(2));
    lb.ready(A);

    assertThat(lb.picked("pay")).isEqualTo(A);
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);
  }

  @Conformance("A75-29")
  @Test
  void anEndpointWithoutConnectionIsConnectedForTheSession() {
    start(AB_CD);
    assertThat(lb.open()).containsExactly(A, B);

    waits(SessionCall.to(D));

    assertThat(lb.open()).containsExactly(A, B, D);
    waits(SessionCall.to(D));
    assertThat(lb.connector().count(D)).isEqualTo(1);
    lb.ready(D);
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);
    assertThat(lb.connector().count(C)).isZero();
  }

  @Conformance({"A75-30", "A75-32"})
  @Test
  void theCallIsBalancedWhenTheConnectionFails() {
    start(AB_CD);
    waits(SessionCall.to(D));

    lb.end(D);

    var call = SessionCall.to(D);
    assertThat(answered(call)).isIn(A, B);
    assertThat(call.cookie()).isIn(A, B);
  }

  @Conformance("A75-29")
  @Test
  void whoeverWaitsIsWokenByAnotherPicker() {
    start(AB_CD);
    waits(SessionCall.to(D));
    var seen = lb.handle("pay").picker();

    lb.ready(D);

    assertThat(lb.handle("pay").picker()).isNotSameAs(seen);
    var afterReady = lb.handle("pay").picker();
    lb.end(D);
    assertThat(lb.handle("pay").picker()).isNotSameAs(afterReady);
  }

  /** States of C and D beforehand; what a call does whose cookie names both, in this order. */
  @Conformance({"A75-31", "A75-32"})
  @ParameterizedTest(name = "first {0}, second {1} -> {2}")
  @CsvSource({
    "READY,      READY,      picks first",
    "IDLE,       READY,      picks second",
    "CONNECTING, READY,      picks second",
    "none,       READY,      picks second",
    "FAILED,     READY,      picks second",
    "IDLE,       IDLE,       connects first",
    "CONNECTING, IDLE,       connects second",
    "none,       IDLE,       connects second",
    "FAILED,     IDLE,       connects second",
    "IDLE,       CONNECTING, connects first",
    "none,       CONNECTING, waits",
    "FAILED,     CONNECTING, waits",
    "CONNECTING, none,       waits",
    "none,       none,       connects first",
    "FAILED,     none,       connects second",
    "FAILED,     FAILED,     is balanced",
  })
  void thePicksGoInOrder(String first, String second, String expected) {
    start(AB_CD);
    bring(C, first);
    bring(D, second);
    int attemptsToFirst = lb.connector().count(C);
    int attemptsToSecond = lb.connector().count(D);

    PickResult result = lb.pick("pay", SessionCall.to(C, D));

    String did =
        result instanceof PickResult.Use use
            ? switch (use.subchannel().address().toString()) {
              case C -> "picks first";
              case D -> "picks second";
              default -> "is balanced";
            }
            : lb.connector().count(C) > attemptsToFirst
                ? "connects first"
                : lb.connector().count(D) > attemptsToSecond ? "connects second" : "waits";
    assertThat(did).isEqualTo(expected);
  }

  private void bring(String address, String state) {
    if (state.equals("none")) {
      return;
    }
    waits(SessionCall.to(address));
    switch (state) {
      case "READY" -> lb.ready(address);
      case "FAILED" -> lb.end(address);
      case "IDLE" -> {
        lb.ready(address);
        lb.end(address);
      }
      default -> {}
    }
  }

  @Conformance("A75-33")
  @Test
  void anAddressThatSessionsMayNotReachCountsAsAbsent() {
    statuses = Set.of(HEALTHY);
    start(
        priorities(
            locality("x", 1, endpoint(HEALTHY, A), endpoint(UNKNOWN, B)),
            locality("y", 1, endpoint(UNKNOWN, C), endpoint(DRAINING, D))));

    assertThat(answered(SessionCall.to(C))).isIn(A, B);
    assertThat(answered(SessionCall.to(D))).isIn(A, B);
    assertThat(answered(SessionCall.to("10.9.9.9:80"))).isIn(A, B);
    assertThat(answered(SessionCall.to(C, D, "10.9.9.9:80", A))).isEqualTo(A);
    assertThat(lb.open()).containsExactly(A, B);
  }

  @Conformance("A75-33")
  @Test
  void aConnectionToWhatSessionsMayNoLongerReachIsGivenUp() {
    start(AB_CD);
    connectFor(D);

    apply(priorities(zone("x", A, B), locality("y", 1, endpoint(C), endpoint(UNHEALTHY, D))));
    assertThat(lb.open()).containsExactly(A, B);

    statuses = Set.of(DRAINING);
    apply(AB_CD);
    assertThat(answered(SessionCall.to(A, D))).isIn(A, B);
    assertThat(lb.open()).containsExactly(A, B);
  }

  @Conformance("A55-14")
  @Test
  void withoutStatusesNothingIsOverridden() {
    statuses = Set.of();
    start(AB_CD);

    assertThat(answered(SessionCall.to(B))).isNotEqualTo(answered(SessionCall.to(B)));
    assertThat(answered(SessionCall.to(D))).isIn(A, B);
    assertThat(lb.open()).containsExactly(A, B);
  }

  /** Sessions may reach A all the time; only how long ago one did decides. */
  @Conformance("A75-34")
  @ParameterizedTest(name = "a call of a session after 2 s: {0}")
  @ValueSource(booleans = {false, true})
  void onlySessionsCountAsUse(boolean used) {
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);
    for (int second = 0; second < 10; second++) {
      assertThat(lb.shares("pay", 4)).containsEntry(A, 2); // ordinary traffic
      if (used && second == 2) {
        assertThat(answered(SessionCall.to(A))).isEqualTo(A);
      }
      lb.advance(Duration.ofSeconds(1));
    }

    apply(priorities(zone("x", B), zone("y", C, D, A))); // balancing gives A up

    assertThat(lb.open().contains(A)).isEqualTo(used);
    assertThat(lb.connector().last(A).isGivenUp()).isEqualTo(!used);
  }

  @Conformance("A75-34")
  @Test
  void theCallThatBeginsASessionIsUse() {
    start(AB_CD);
    String first = answered(SessionCall.to());
    String other = first.equals(A) ? B : A;

    apply(priorities(zone("x", other), zone("y", C, D, first))); // balancing gives it up

    assertThat(lb.open()).containsExactlyInAnyOrder(A, B);
  }

  @Conformance("A75-34")
  @Test
  void beingBalancedIsNoUse() {
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);
    apply(priorities(zone("x", A, B, C), zone("y", D)));
    lb.ready(C);
    assertThat(lb.shares("pay", 30)).containsEntry(C, 10);

    apply(AB_CD); // balancing gives C up

    assertThat(lb.open()).containsExactly(A, B);
    assertThat(lb.connector().last(C).isGivenUp()).isTrue();
  }

  @Conformance("A75-35")
  @Test
  void aConnectionForSessionsEndsAfterTheIdleTimeout() {
    start(AB_CD);
    connectFor(D);
    lb.advance(Duration.ofSeconds(7));
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);

    lb.advance(Duration.ofMillis(9_999));
    assertThat(lb.open()).contains(D);
    lb.advance(Duration.ofMillis(5_501));
    assertThat(lb.open()).containsExactly(A, B);
    assertThat(lb.connector().last(D).isGivenUp()).isTrue();
  }

  /** D is due in an hour when A comes to sessions alone, and A in half an hour. */
  @Conformance("A75-35")
  @Test
  void anEarlierDueTimeBringsTheSweepForward() {
    idleTimeout = Duration.ofHours(1);
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);
    lb.advance(Duration.ofMinutes(30));
    connectFor(D);

    apply(priorities(zone("x", B), zone("y", C, D, A)));
    lb.advance(Duration.ofMinutes(30).minusMillis(1));
    assertThat(lb.open()).contains(A, D);
    lb.advance(Duration.ofMillis(5_501));

    assertThat(lb.open()).contains(D).doesNotContain(A);
    lb.advance(Duration.ofMinutes(30));
    assertThat(lb.open()).doesNotContain(D);
  }

  /** A sweep at 5 s finds D fresh; D is due at 5.5 s, and the next sweep is at 10 s. */
  @Conformance({"A75-35", "A75-36"})
  @Test
  void sweepsAreFiveSecondsApartHoweverShortTheTimeoutIs() {
    idleTimeout = Duration.ofSeconds(1);
    start(AB_CD);
    connectFor(C);
    lb.advance(Duration.ofMillis(4_500));
    connectFor(D);
    assertThat(lb.open()).as("due for 3.5 s, and not yet swept").contains(C, D);

    lb.advance(Duration.ofMillis(500));
    assertThat(lb.open()).contains(D).doesNotContain(C);
    lb.advance(Duration.ofMillis(4_999));
    assertThat(lb.open()).as("due for 4.5 s, and not yet swept").contains(D);
    lb.advance(Duration.ofMillis(1));

    assertThat(lb.open()).doesNotContain(D);
  }

  @Conformance("A75-36")
  @ParameterizedTest
  @ValueSource(ints = {0, 400, 900, 1100, 2500, 3999, 4001, 4999, 5001, 9000})
  void sweepsAreFarEnoughApart(int offsetMillis) {
    idleTimeout = Duration.ofSeconds(1);
    start(AB_CD);
    connectFor(C); // the first sweep is planned
    lb.advance(Duration.ofMillis(offsetMillis));

    connectFor(D);

    lb.advance(Duration.ofMillis(999));
    assertThat(lb.open()).contains(D);
    lb.advance(Duration.ofMillis(5_501));
    assertThat(lb.open()).doesNotContain(D);
  }

  @Conformance("A75-42")
  @Test
  void anIdleTimeoutOfZeroKeepsNothingPastASweep() {
    idleTimeout = Duration.ZERO;
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);

    apply(priorities(zone("x", B), zone("y", C, A)));
    assertThat(lb.open()).containsExactly(B);
    connectFor(C);
    lb.advance(Duration.ofSeconds(5));
    assertThat(lb.open()).containsExactly(B);
  }

  @Conformance("A75-37")
  @Test
  void aConnectionInUseBySessionsOutlivesItsPriority() {
    start(priorities(zone("x", A), zone("y", C, D)));
    lb.end(A);
    lb.end(A);
    lb.ready(C, D);
    lb.advance(Duration.ofMinutes(2));
    lb.ready(A); // the second priority is deactivated
    lb.advance(Duration.ofMinutes(14));
    idleTimeout = Duration.ofMinutes(5);
    apply(priorities(zone("x", A), zone("y", C, D)));
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);

    lb.advance(Duration.ofSeconds(90)); // and destroyed

    assertThat(lb.open()).containsExactlyInAnyOrder(A, D);
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);
    assertThat(lb.connector().count(D)).isEqualTo(1);
  }

  @Conformance("A75-38")
  @Test
  void anEndpointThatLeavesTheClusterLosesItsConnection() {
    start(AB_CD);
    connectFor(D);
    PickResult running = lb.pick("pay", SessionCall.to(D));

    apply(priorities(zone("x", A, B), zone("y", C)));

    assertThat(lb.connector().last(D).isGivenUp()).isTrue();
    ((PickResult.Use) running).subchannel().callEnded(SessionCall.to(D), CallOutcome.SUCCESS);
    assertThat(answered(SessionCall.to(D))).isIn(A, B);
    assertThat(lb.open()).containsExactly(A, B);
  }

  @Conformance("A75-38")
  @Test
  void anEndpointThatLeavesWhileItIsAskedForIsNotConnected() {
    start(AB_CD);
    var picker = lb.handle("pay").picker();

    lb.loop()
        .inside(
            () -> {
              picker.pick(SessionCall.to(D));
              lb.manager().apply(config(priorities(zone("x", A, B), zone("y", C))));
            });

    assertThat(lb.connector().count(D)).isZero();
  }

  @Conformance("A55-09")
  @Test
  void aSessionMayBeginAtAnEndpointThatHasJustLeft() {
    start(priorities(locality("x", 1, endpoint(A, B))));
    var before = lb.handle("pay").picker();
    apply(priorities(zone("x", C)));

    var call = SessionCall.to();

    assertThat(before.pick(call)).isInstanceOf(PickResult.Use.class);
    assertThat(call.cookie()).isEqualTo(A + "," + B);
  }

  @Test
  void aConnectionForSessionsStandsWhereItsEndpointDoes() {
    start(AB_CD);
    connectFor(D);

    apply(priorities(zone("x", A, B), zone("y", C), zone("z", D)));

    var use = (PickResult.Use) lb.pick("pay", SessionCall.to(D));
    assertThat(use.subchannel().backend().locality()).isEqualTo(locality("z"));
    assertThat(use.subchannel().backend().priority()).isEqualTo(2);
  }

  @Conformance("A75-39")
  @Test
  void aConnectionForSessionsDoesNotChangeHowTheClusterStands() {
    start(priorities(zone("x", A), zone("y", C, D)));
    connectFor(D);
    lb.end(A);

    assertThat(lb.state("pay")).isEqualTo(Connectivity.CONNECTING);
    assertThat(lb.pick("pay")).isInstanceOf(PickResult.Queue.class);
    assertThat(answered(SessionCall.to(D))).isEqualTo(D);
    lb.end(A);
    assertThat(lb.state("pay")).isEqualTo(Connectivity.READY); // its turn has come
    assertThat(lb.connector().count(D)).isEqualTo(1);
  }

  @Conformance("A75-43")
  @Test
  void aShorterIdleTimeoutHoldsForWhatIsKeptAlready() {
    idleTimeout = Duration.ofHours(1);
    start(AB_CD);
    connectFor(D);
    lb.advance(Duration.ofMinutes(1));

    idleTimeout = Duration.ofSeconds(10);
    apply(AB_CD);

    lb.advance(Duration.ofSeconds(5));
    assertThat(lb.open()).doesNotContain(D);
  }

  @Conformance("A75-43")
  @Test
  void aLongerIdleTimeoutHoldsForWhatIsKeptAlready() {
    start(AB_CD);
    connectFor(D);

    idleTimeout = Duration.ofMinutes(1);
    apply(AB_CD);

    lb.advance(Duration.ofSeconds(59));
    assertThat(lb.open()).contains(D);
    lb.advance(Duration.ofSeconds(6));
    assertThat(lb.open()).doesNotContain(D);
  }

  @Conformance("A75-43")
  @Test
  void aConnectionEndsWhenTheNewIdleTimeoutIsOver() {
    start(AB_CD);
    connectFor(D);

    idleTimeout = Duration.ofSeconds(12);
    apply(AB_CD);

    lb.advance(Duration.ofMillis(11_999));
    assertThat(lb.open()).contains(D);
    lb.advance(Duration.ofMillis(5_001));
    assertThat(lb.open()).doesNotContain(D);
  }

  @Conformance("A75-44")
  @Test
  void aDrainingEndpointIsReachedBySessionsOnly() {
    statuses = Set.of(HEALTHY, DRAINING);
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);

    apply(priorities(locality("x", 1, endpoint(DRAINING, A), endpoint(B)), zone("y", C, D)));

    assertThat(lb.shares("pay", 10)).containsOnlyKeys(B);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);
    assertThat(lb.connector().count(A)).isEqualTo(1);
    lb.advance(Duration.ofSeconds(16));
    assertThat(lb.open()).doesNotContain(A);
    connectFor(A);
  }

  @Conformance("A75-44")
  @Test
  void aDrainingEndpointIsOutOfReachUnlessTheStatusesSayOtherwise() {
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);

    apply(priorities(locality("x", 1, endpoint(DRAINING, A), endpoint(B)), zone("y", C, D)));

    assertThat(answered(SessionCall.to(A))).isEqualTo(B);
    assertThat(lb.open()).containsExactly(B);
  }

  @Test
  void sessionsReachWhatDrainsEvenWhenNothingIsLeftToBalance() {
    statuses = Set.of(HEALTHY, DRAINING);
    start(AB_CD);
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);

    apply(priorities(locality("x", 1, endpoint(DRAINING, A), endpoint(DRAINING, B))));

    assertThat(answered(SessionCall.to(A))).isEqualTo(A);
    assertThat(lb.failure("pay")).contains("contains no usable endpoint");
  }

  @Conformance({"A75-45", "A75-46"})
  @Test
  void aSessionLeavesAnEndpointThatIsEjected() {
    idleTimeout = Duration.ofHours(1);
    detection = Optional.of(Detections.failing(50));
    start(AB_CD);
    connectFor(D);
    for (int i = 0; i < 30; i++) {
      for (String address : Set.of(A, B, D)) {
        var use = (PickResult.Use) lb.pick("pay", SessionCall.to(address));
        boolean bad = address.equals(D);
        use.subchannel()
            .callEnded(SessionCall.to(), bad ? CallOutcome.FAILURE : CallOutcome.SUCCESS);
      }
    }

    lb.advance(Duration.ofSeconds(10));

    assertThat(lb.outlierEvents()).isNotEmpty();
    var call = SessionCall.to(D);
    assertThat(answered(call)).isIn(A, B);
    assertThat(call.cookie()).isIn(A, B);
  }

  @Conformance("A75-46")
  @Test
  void aConnectionForSessionsIsCountedAndLimitedLikeOthers() {
    start(AB_CD);
    connectFor(D);
    var use = (PickResult.Use) lb.pick("pay", SessionCall.to(D));

    assertThat(lb.endpoint("pay", D).calls().active()).isEqualTo(1);
    assertThat(use.subchannel().backend().locality()).isEqualTo(new Locality("r", "y", "s"));
    assertThat(use.subchannel().backend().endpoint()).isEqualTo(endpoint(D));
    assertThat(lb.connector().last(D).maxConnections()).isEqualTo(1);
    use.subchannel().callEnded(SessionCall.to(D), CallOutcome.SUCCESS);
    assertThat(lb.endpoint("pay", D).calls().succeeded()).isEqualTo(1);
  }

  @Conformance("A55-09")
  @Test
  void theAddressInUseStandsFirst() {
    start(priorities(locality("x", 1, endpoint(A, B, C))));
    lb.end(A);
    lb.end(A);
    lb.ready(B);

    var call = SessionCall.to();
    assertThat(answered(call)).isEqualTo(B);
    assertThat(call.cookie()).isEqualTo(B + "," + A + "," + C);
  }

  @Test
  void theViewShowsAConnectionThatSessionsAloneKeepUntilItEnds() {
    start(AB_CD);
    connectFor(D);
    lb.advance(Duration.ofSeconds(3));
    assertThat(answered(SessionCall.to(A))).isEqualTo(A);

    assertThat(lb.endpoint("pay", C).state()).isEqualTo(Connectivity.IDLE);
    assertThat(lb.endpoint("pay", D).state()).isEqualTo(Connectivity.READY);
    lb.advance(Duration.ofSeconds(7));
    assertThat(lb.open()).doesNotContain(D);
    assertThat(lb.endpoint("pay", D).state()).isEqualTo(Connectivity.IDLE);
  }

  @Test
  void nothingIsLeftOfAClosedCluster() {
    start(AB_CD);
    connectFor(D);

    lb.apply(Samples.config(Set.of()));

    assertThat(lb.open()).isEmpty();
    assertThat(lb.loop().pendingTimers()).isZero();
  }

  private void start(EndpointSet endpoints) {
    apply(endpoints);
    lb.loop().inside(lb.connector()::readyAll);
    lb.loop().run();
    if (lb.state("pay") == Connectivity.READY) {
      lb.pick("pay", SessionCall.to()); // which has the hosts looked up
    }
  }

  private void apply(EndpointSet endpoints) {
    lb.apply(config(endpoints));
    lb.loop().run();
  }

  private XdsConfig config(EndpointSet endpoints) {
    var plain =
        new ClusterResource(
            "pay",
            new ClusterSource.Eds("pay"),
            ClusterResource.DEFAULT_POLICY,
            ClusterResource.Limits.DEFAULT,
            detection,
            new ClusterResource.Sessions(idleTimeout, statuses));
    return Samples.config(Set.of("pay"), Samples.leaf(plain, endpoints));
  }

  private void connectFor(String address) {
    waits(SessionCall.to(address));
    lb.ready(address);
    lb.loop().run();
  }

  private void waits(SessionCall call) {
    assertThat(lb.pick("pay", call)).isInstanceOf(PickResult.Queue.class);
  }

  /** Where the call goes, which ends well at once. */
  private String answered(SessionCall call) {
    PickResult result = lb.pick("pay", call);
    assertThat(result).isInstanceOf(PickResult.Use.class);
    var subchannel = ((PickResult.Use) result).subchannel();
    subchannel.callEnded(call, CallOutcome.SUCCESS);
    return subchannel.address().toString();
  }
}
