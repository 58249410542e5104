package io.outrigger.lb.tree;

import static io.outrigger.lb.testing.Samples.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.lb.view.OutlierEvent.Share;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What detection knows survives what it should, and is forgotten when it should be (A50). */
class OutlierUpdateScenarioTest {
  private static final String E0 = "10.0.0.0:80";
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final OutlierDetection HALF = Detections.failing(50);

  private final LbScript lb = new LbScript();

  @Conformance("A50-40")
  @Test
  void anEndpointThatWasRemovedComesBackWithoutAPast() {
    apply(HALF, zone("z", E0, E1, E2, E3));
    lb.traffic("a", 40, E0::equals);
    seconds(10);
    assertThat(ejected()).containsExactly(E0);

    apply(HALF, zone("z", E1, E2, E3));
    assertThat(lb.open()).doesNotContain(E0);
    apply(HALF, zone("z", E0, E1, E2, E3));

    assertThat(lb.shares("a", 40)).containsKey(E0);
    assertThat(endpoint(E0).detection()).isEqualTo(LbEndpoint.Detection.NONE);
    lb.traffic("a", 400, E0::equals);
    seconds(10);
    assertThat(lastEjection().multiplier()).isEqualTo(1);
  }

  @Conformance("A50-40")
  @Test
  void anEjectedEndpointThatIsRemovedMakesRoom() {
    var quarter = Detections.failing(25);
    apply(quarter, zone("z", E0, E1, E2, E3));
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    apply(quarter, zone("z", E1, E2, E3));
    lb.traffic("a", 30, E1::equals);
    seconds(10);

    assertThat(ejected()).containsExactly(E0, E1);
    assertThat(lastEjection().before()).isEqualTo(new Share(0, 3));
  }

  @Conformance("A50-40")
  @Test
  void anEndpointThatTheControlPlaneCallsUnhealthyIsForgotten() {
    apply(HALF, zone("z", E0, E1, E2, E3));
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    apply(
        HALF,
        Samples.locality(
            "z",
            1,
            Samples.endpoint(HealthStatus.UNHEALTHY, E0),
            Samples.endpoint(E1),
            Samples.endpoint(E2),
            Samples.endpoint(E3)));
    apply(HALF, zone("z", E0, E1, E2, E3));

    assertThat(lb.shares("a", 40)).containsKey(E0);
  }

  @Conformance("A50-41")
  @Test
  void whatIsKnownSurvivesAnotherWeightLocalityOrOrder() {
    apply(HALF, zone("z", E0, E1, E2, E3));
    lb.traffic("a", 40, E0::equals);
    seconds(10);
    lb.traffic("a", 18, E1::equals);

    apply(
        HALF,
        Samples.locality("y", 7, weighted(E3, 5), weighted(E1, 6), weighted(E0, 7)),
        Samples.locality("x", 3, weighted(E2, 2)));

    assertThat(lb.shares("a", 100)).containsOnlyKeys(E1, E2, E3);
    assertThat(endpoint(E0).detection().ejection().orElseThrow().times()).isEqualTo(1);
    assertThat(endpoint(E0).detection().failed()).isEqualTo(10);
    assertThat(lb.connector().count()).isEqualTo(4);
  }

  @Conformance("A50-41")
  @Test
  void whatWasCountedBeforeAnUpdateCountsAfterIt() {
    apply(HALF, zone("z", E0, E1, E2));
    lb.traffic("a", 18, E0::equals); // six each

    apply(HALF, zone("z", E1, E2, E3, E0));
    lb.traffic("a", 16, E0::equals); // four more each
    seconds(10);

    assertThat(ejected()).containsExactly(E0);
    assertThat(endpoint(E0).detection().failed()).isEqualTo(10);
  }

  @Conformance({"A50-41", "A50-48"})
  @Test
  void addressesInAnotherOrderAreTheSameEndpoint() {
    String other = "10.9.0.0:80";
    apply(HALF, locality(Samples.endpoint(E0, other)));
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    apply(HALF, locality(Samples.endpoint(other, E0)));

    assertThat(lb.shares("a", 30)).containsOnlyKeys(E1, E2);
    assertThat(endpoint(other).detection().ejection()).isPresent();
  }

  /** A50 "Update Addresses": a subchannel follows its address to another endpoint. */
  @Test
  void anEndpointWithMoreAddressesIsAnother() {
    String other = "10.9.0.0:80";
    apply(HALF, locality(Samples.endpoint(E0)));
    lb.traffic("a", 40, E0::equals);
    seconds(10);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);

    apply(HALF, locality(Samples.endpoint(E0, other)));

    assertThat(lb.shares("a", 30)).containsKey(E0);
    assertThat(lb.connector().count(E0)).isEqualTo(1);
    lb.traffic("a", 300, E0::equals);
    seconds(10);
    assertThat(ejected()).containsExactly(E0, E0);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
  }

  @Conformance("A50-42")
  @Test
  void anotherConfigurationDoesNotZeroTheInterval() {
    apply(HALF, zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);
    seconds(5);

    apply(Detections.timed(Detections.failing(60), 12, 20, 300), zone("z", E0, E1, E2));
    seconds(7);

    assertThat(ejected()).containsExactly(E0);
  }

  @Conformance({"A50-04", "A50-42", "A50-45"})
  @ParameterizedTest(name = "the field was there before: {0}")
  @ValueSource(booleans = {false, true})
  void switchedOnItBeginsWithNothing(boolean hadField) {
    apply(
        hadField ? Optional.of(Detections.none()) : Optional.empty(),
        Samples.priorities(zone("z", E0, E1, E2)));
    lb.traffic("a", 300, E0::equals);
    seconds(15);

    apply(HALF, zone("z", E0, E1, E2));
    seconds(9);
    assertThat(lb.outlierEvents()).isEmpty();
    seconds(1);

    assertThat(lb.outlierEvents()).isEmpty();
    assertThat(endpoint(E0).detection()).isEqualTo(LbEndpoint.Detection.NONE);
    lb.traffic("a", 60, E0::equals); // over the connections that are older than the detection
    seconds(10);
    assertThat(ejected()).containsExactly(E0);
  }

  @Conformance({"A50-42", "A50-45"})
  @Test
  void switchedOnAgainItDoesNotGoOnFromWhereItWas() {
    apply(HALF, zone("z", E0, E1, E2));
    lb.traffic("a", 60, E0::equals);
    seconds(5);

    apply(Detections.none(), zone("z", E0, E1, E2));
    seconds(5);
    apply(HALF, zone("z", E0, E1, E2));
    seconds(10);

    assertThat(lb.outlierEvents()).isEmpty();
    assertThat(endpoint(E0).detection()).isEqualTo(LbEndpoint.Detection.NONE);
  }

  /** While it drains, sessions alone may reach it: it is known, and has no connection. */
  @Conformance("A50-38")
  @Test
  void anEndpointThatIsBalancedAgainStartsOutEjected() {
    applyDraining();
    lb.traffic("a", 30, E0::equals);
    seconds(10);
    assertThat(ejected()).containsExactly(E0);
    applyDraining(E0);
    assertThat(lb.open()).doesNotContain(E0);

    applyDraining();
    assertThat(lb.open()).contains(E0);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
    assertThat(endpoint(E0).state()).isEqualTo(Connectivity.TRANSIENT_FAILURE);
    seconds(40);

    assertThat(lb.shares("a", 30)).containsKey(E0);
  }

  /** Three endpoints, of which these drain. */
  private void applyDraining(String... draining) {
    ClusterResource plain = Samples.eds("a", E0).cluster();
    var cluster =
        new ClusterResource(
            plain.name(),
            plain.source(),
            plain.policy(),
            plain.limits(),
            Optional.of(HALF),
            new ClusterResource.Sessions(
                plain.sessions().idleTimeout(),
                Set.of(HealthStatus.HEALTHY, HealthStatus.DRAINING)));
    Endpoint[] endpoints =
        Stream.of(E0, E1, E2)
            .map(
                address ->
                    Samples.endpoint(
                        List.of(draining).contains(address)
                            ? HealthStatus.DRAINING
                            : HealthStatus.HEALTHY,
                        address))
            .toArray(Endpoint[]::new);
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.leaf(cluster, Samples.priorities(Samples.locality("z", 1, endpoints)))));
    lb.loop().inside(() -> lb.connector().readyAll());
  }

  @Conformance("A50-43")
  @Test
  void aShorterIntervalMaySweepAtOnce() {
    apply(Detections.timed(HALF, 60, 30, 300), zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);
    seconds(20);

    apply(Detections.timed(HALF, 10, 30, 300), zone("z", E0, E1, E2));

    assertThat(ejected()).containsExactly(E0);
  }

  @Conformance("A50-44")
  @Test
  void endpointsThatComeEverySecondDoNotPostponeTheSweep() {
    apply(HALF, zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);

    for (int second = 1; second <= 10; second++) {
      apply(HALF, zone("z", E0, E1, E2, "10.1.0." + second + ":80"));
      seconds(1);
    }

    assertThat(ejected()).containsExactly(E0);
  }

  @Conformance("A50-45")
  @Test
  void switchedOffAllReturnAtOnceAndThePastIsForgotten() {
    apply(HALF, zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);
    seconds(10);

    apply(Detections.none(), zone("z", E0, E1, E2));
    assertThat(lb.shares("a", 30)).containsKey(E0);
    assertThat(lb.loop().pendingTimers()).isZero();
    assertThat(lb.outlierEvents())
        .last()
        .isInstanceOfSatisfying(
            OutlierEvent.Unejected.class,
            event ->
                assertThat(event.reason()).isEqualTo(OutlierEvent.UnejectReason.DETECTION_IS_OFF));

    apply(HALF, zone("z", E0, E1, E2));
    assertThat(endpoint(E0).detection().failed()).as("in the last interval").isZero();
    lb.traffic("a", 30, E0::equals);
    seconds(9);
    assertThat(ejected()).hasSize(1);
    seconds(1);
    assertThat(lastEjection().multiplier()).isEqualTo(1);
    assertThat(ejected()).hasSize(2);
  }

  @Conformance({"A50-04", "A50-45"})
  @Test
  void theFieldRemovedIsDetectionSwitchedOff() {
    apply(HALF, zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);
    seconds(10);

    apply(Optional.empty(), Samples.priorities(zone("z", E0, E1, E2)));

    assertThat(lb.shares("a", 30)).containsKey(E0);
    assertThat(lb.loop().pendingTimers()).isZero();
    lb.traffic("a", 300, E0::equals);
    apply(HALF, zone("z", E0, E1, E2));
    seconds(10);
    assertThat(ejected()).as("only what was counted before").containsExactly(E0);
  }

  @Conformance("A50-46")
  @Test
  void anotherBaseTimeHoldsForThoseThatAreEjected() {
    apply(Detections.timed(HALF, 1, 30, 300), zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);
    seconds(6);

    apply(Detections.timed(HALF, 1, 10, 300), zone("z", E0, E1, E2));
    seconds(5);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
    seconds(1);
    assertThat(lb.shares("a", 30)).containsKey(E0);
  }

  @Conformance("A50-46")
  @Test
  void aLongerBaseTimeKeepsThemOutLonger() {
    apply(Detections.timed(HALF, 1, 10, 300), zone("z", E0, E1, E2));
    lb.traffic("a", 30, E0::equals);
    seconds(6);

    apply(Detections.timed(HALF, 1, 60, 300), zone("z", E0, E1, E2));
    seconds(55);

    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
    seconds(1);
    assertThat(lb.shares("a", 30)).containsKey(E0);
  }

  @Conformance("A50-47")
  @Test
  void aLowerMaximumReturnsNobody() {
    apply(HALF, zone("z", E0, E1, E2, E3));
    lb.traffic("a", 40, Set.of(E0, E1)::contains);
    seconds(10);
    assertThat(ejected()).containsExactly(E0, E1);

    apply(Detections.failing(10), zone("z", E0, E1, E2, E3));
    lb.traffic("a", 400, E2::equals);
    seconds(10);

    assertThat(lb.shares("a", 30)).containsOnlyKeys(E2, E3);
    assertThat(ejected()).hasSize(2);
  }

  @Test
  void theSameConfigurationTwiceChangesNothing() {
    apply(HALF, zone("z", E0, E1, E2, E3));
    lb.traffic("a", 40, E0::equals);
    seconds(10);
    var before = lb.describe("a");

    apply(HALF, zone("z", E0, E1, E2, E3));

    assertThat(lb.describe("a")).isEqualTo(before);
    assertThat(lb.connector().count()).isEqualTo(4);
  }

  /** Ten thousand endpoints and one more: the others are not looked after again. */
  @Test
  void oneEndpointMoreTouchesNoOther() {
    int size = 10_000;
    apply(HALF, many(size));
    Map<String, PickResult> before = uses(size);

    lb.apply(config(Optional.of(HALF), Samples.endpoints(List.of(List.of(many(size + 1))))));

    assertThat(lb.connector().count()).isEqualTo(size + 1);
    assertThat(lb.open()).hasSize(size + 1);
    Map<String, PickResult> after = uses(size);
    assertThat(after).hasSize(size);
    before.forEach((address, use) -> assertThat(after.get(address)).isSameAs(use));
    lb.loop().inside(() -> lb.connector().readyAll());
    assertThat(uses(size + 1)).hasSize(size + 1);
  }

  /** What picks answer, one after the other. */
  private Map<String, PickResult> uses(int picks) {
    Map<String, PickResult> uses = new HashMap<>();
    for (int i = 0; i < picks; i++) {
      PickResult result = lb.handle("a").picker().pick(TestCall.CALL);
      Subchannel subchannel = ((PickResult.Use) result).subchannel();
      subchannel.callEnded(TestCall.CALL, CallOutcome.NOT_SENT);
      uses.put(subchannel.address().toString(), result);
    }
    return uses;
  }

  private static LocalityEndpoints many(int count) {
    return zone(
        "z",
        IntStream.range(0, count)
            .mapToObj(i -> "10.1.%d.%d:80".formatted(i >> 8, i & 255))
            .toArray(String[]::new));
  }

  private static LocalityEndpoints locality(Endpoint first) {
    return Samples.locality("z", 1, first, Samples.endpoint(E1), Samples.endpoint(E2));
  }

  private static Endpoint weighted(String address, long weight) {
    return new Endpoint(List.of(Samples.address(address)), HealthStatus.HEALTHY, weight, "");
  }

  /** One priority; whatever is being connected is connected. */
  private void apply(OutlierDetection detection, LocalityEndpoints... localities) {
    apply(Optional.of(detection), Samples.endpoints(List.of(List.of(localities))));
  }

  private void apply(Optional<OutlierDetection> detection, EndpointSet endpoints) {
    lb.apply(config(detection, endpoints));
    lb.loop().inside(() -> lb.connector().readyAll());
  }

  private static XdsConfig config(Optional<OutlierDetection> detection, EndpointSet endpoints) {
    return Samples.config(
        Set.of("a"), Samples.watched(Samples.eds("a", E0).cluster(), detection, endpoints));
  }

  private void seconds(long seconds) {
    lb.advance(Duration.ofSeconds(seconds));
  }

  private LbEndpoint endpoint(String address) {
    return lb.endpoint("a", address);
  }

  private List<String> ejected() {
    return ejections().stream().map(event -> event.address().toString()).toList();
  }

  private OutlierEvent.Ejected lastEjection() {
    return ejections().get(ejections().size() - 1);
  }

  private List<OutlierEvent.Ejected> ejections() {
    return lb.outlierEvents().stream()
        .filter(OutlierEvent.Ejected.class::isInstance)
        .map(OutlierEvent.Ejected.class::cast)
        .toList();
  }
}
