package io.outrigger.lb.tree;

import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.route.Fraction;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.lb.view.OutlierEvent.Method;
import io.outrigger.lb.view.OutlierEvent.Share;
import io.outrigger.lb.view.OutlierEvent.UnenforcedReason;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is ejected, for how long, and what calls and connections see of it (A50). */
class OutlierEjectionScenarioTest {
  private static final String E0 = "10.0.0.0:80";
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";

  private final LbScript lb = new LbScript();

  /** No endpoint fails. */
  private static boolean none(String address) {
    return false;
  }

  @Conformance("A50-04")
  @Test
  void withoutDetectionNothingIsEjectedOrTimed() {
    lb.apply(Samples.config(Set.of("a"), Samples.eds("a", E0, E1, E2)));
    readyAll();
    assertThat(lb.loop().pendingTimers()).isZero();

    lb.traffic("a", 300, E0::equals);
    seconds(600);

    assertThat(lb.shares("a", 30)).containsOnlyKeys(E0, E1, E2);
    assertThat(endpoint(E0).detection()).isEqualTo(LbEndpoint.Detection.NONE);
  }

  @Conformance({"A50-09", "A50-35"})
  @Test
  void theFirstSweepIsOneIntervalAfterTheConfiguration() {
    start(Detections.timed(Detections.failing(50), 5, 30, 300), 4);
    seconds(4);
    lb.traffic("a", 400, E0::equals);
    lb.advance(Duration.ofMillis(999));
    assertThat(lb.shares("a", 40)).containsOnlyKeys(E0, E1, E2, E3);

    lb.advance(Duration.ofMillis(1));

    assertThat(lb.shares("a", 30)).isEqualTo(Map.of(E1, 10, E2, 10, E3, 10));
  }

  @Conformance("A50-10")
  @Test
  void aCallCountsInTheIntervalInWhichItEnds() {
    start(Detections.failing(50), 4);
    List<Subchannel> streams = IntStream.range(0, 40).mapToObj(i -> lb.start("a")).toList();
    seconds(10);
    assertThat(lb.outlierEvents()).isEmpty();
    assertThat(endpoint(E0).detection().failed()).isZero();

    seconds(2);
    for (Subchannel stream : streams) {
      boolean bad = stream.address().toString().equals(E0);
      stream.callEnded(TestCall.CALL, bad ? CallOutcome.FAILURE : CallOutcome.SUCCESS);
    }
    seconds(8);

    assertThat(ejected()).containsExactly(E0);
    assertThat(endpoint(E0).detection().failed()).isEqualTo(10);
  }

  @Conformance("A50-11")
  @Test
  void whatCountedInOneIntervalDoesNotCountInTheNext() {
    start(Detections.failing(50), 4);
    lb.traffic("a", 36, E0::equals); // nine each, one short
    seconds(10);
    assertThat(endpoint(E0).detection().failed()).isEqualTo(9);

    lb.traffic("a", 36, E0::equals);
    seconds(10);
    assertThat(lb.outlierEvents()).isEmpty();
    seconds(10);

    assertThat(endpoint(E0).detection()).isEqualTo(LbEndpoint.Detection.NONE);
  }

  /** What calls meet before they have an endpoint. */
  @Conformance("A50-14")
  @ParameterizedTest
  @ValueSource(strings = {"an overload category", "the circuit breaker", "no connection yet"})
  void callsThatGetNoEndpointCountAgainstNone(String obstacle) {
    boolean drops = obstacle.equals("an overload category");
    var all = new DropCategory("all", new Fraction(100, 100));
    var zone = List.of(List.of(Samples.zone("z", E0)));
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                Samples.cluster("a", new ClusterSource.Eds("a"), ClusterResource.DEFAULT_POLICY, 1),
                Optional.of(anyFailure()),
                drops ? Samples.endpoints(zone, all) : Samples.endpoints(zone))));
    List<Subchannel> running = new ArrayList<>();
    if (!obstacle.equals("no connection yet")) {
      lb.ready(E0);
    }
    if (obstacle.equals("the circuit breaker")) {
      running.add(lb.start("a"));
    }

    for (int i = 0; i < 100; i++) {
      assertThat(lb.pick("a")).isNotInstanceOf(PickResult.Use.class);
    }
    seconds(10);

    assertThat(endpoint(E0).detection()).isEqualTo(LbEndpoint.Detection.NONE);
    running.forEach(call -> call.callEnded(TestCall.CALL, CallOutcome.SUCCESS));
    seconds(10);
    assertThat(endpoint(E0).detection().succeeded()).isEqualTo(running.size());
    assertThat(endpoint(E0).detection().failed()).isZero();
    assertThat(lb.outlierEvents()).isEmpty();
  }

  @Conformance("A50-14")
  @Test
  void callsThatWereNeverSentCountAsNothing() {
    start(Detections.failing(50), 4);
    lb.traffic("a", 40, OutlierEjectionScenarioTest::none);
    for (int i = 0; i < 400; i++) {
      lb.start("a").callEnded(TestCall.CALL, CallOutcome.NOT_SENT);
    }

    seconds(10);

    assertThat(lb.outlierEvents()).isEmpty();
    assertThat(endpoint(E0).detection().succeeded()).isEqualTo(10);
    assertThat(endpoint(E0).detection().failed()).isZero();
  }

  @Conformance({"A50-22", "A50-24", "A50-54"})
  @Test
  void noMoreAreEjectedThanMayBeAndTheRestIsSpared() {
    start(Detections.failing(50), 4);
    lb.traffic("a", 40, Set.of(E0, E1, E2)::contains);

    seconds(10);

    assertThat(ejected()).containsExactly(E0, E1);
    var unenforced = (OutlierEvent.Unenforced) lb.outlierEvents().get(2);
    assertThat(unenforced.address()).hasToString(E2);
    assertThat(unenforced.reason()).isEqualTo(UnenforcedReason.MAX_EJECTION_OVERFLOW);
    assertThat(unenforced.share()).isEqualTo(new Share(2, 4));
    assertThat(lb.shares("a", 10)).containsOnlyKeys(E2, E3);
  }

  @Conformance("A50-24")
  @Test
  void thoseEjectedEarlierTakeTheirShare() {
    start(Detections.failing(25), 4);
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    lb.traffic("a", 30, E1::equals);
    seconds(10);

    assertThat(ejected()).containsExactly(E0);
    assertThat(lb.outlierEvents().get(1)).isInstanceOf(OutlierEvent.Unenforced.class);
  }

  @Conformance({"A50-26", "A50-27"})
  @Test
  void theDrawDecidesAboutEachCandidateAtEachSweep() {
    start(Detections.failing(100, 40), 4);
    lb.random().next(Purpose.ENFORCEMENT, 40, 39);
    lb.traffic("a", 40, Set.of(E0, E1)::contains);

    seconds(10);

    assertThat(ejected()).containsExactly(E1);
    var unenforced = (OutlierEvent.Unenforced) lb.outlierEvents().get(0);
    assertThat(unenforced.reason()).isEqualTo(UnenforcedReason.ENFORCEMENT_PERCENTAGE);
    assertThat(unenforced.multiplier()).isZero();

    lb.random().next(Purpose.ENFORCEMENT, 0);
    lb.traffic("a", 30, E0::equals);
    seconds(10);

    assertThat(ejected()).containsExactly(E1, E0);
    assertThat(lastEjection().multiplier()).isEqualTo(1);
  }

  @Conformance("A50-26")
  @Test
  void aboutHalfAreEjectedAtFiftyPercent() {
    start(Detections.timed(Detections.failing(100, 50), 10, 1, 1), 3);
    for (int sweep = 0; sweep < 400; sweep++) {
      lb.traffic("a", 30, E0::equals);
      seconds(10);
      seconds(10); // back in service
    }

    assertThat(ejected()).hasSizeBetween(160, 240);
  }

  @Conformance({"A50-28", "A50-29"})
  @Test
  void eachEjectionThatFollowsIsLonger() {
    start(Detections.timed(Detections.failing(50), 1, 10, 25), 3);
    for (long expected : List.of(10, 20, 25, 25)) {
      lb.traffic("a", 300, E0::equals);
      seconds(1);
      assertThat(lb.shares("a", 20)).doesNotContainKey(E0);
      seconds(expected);
      assertThat(lb.shares("a", 20)).doesNotContainKey(E0); // its time is over, not yet passed
      seconds(1);
      assertThat(lb.shares("a", 30)).containsKey(E0);
    }
  }

  @Conformance({"A50-31", "A50-32"})
  @Test
  void afterTheThirdEjectionThreeCleanSweepsMakeAFirstOffender() {
    start(Detections.timed(Detections.failing(50), 1, 10, 300), 3);
    ejectAndReturn(3);
    assertThat(lastEjection().multiplier()).isEqualTo(3);

    seconds(3);
    lb.traffic("a", 30, E0::equals);
    seconds(1);

    assertThat(lastEjection().multiplier()).isEqualTo(1);
  }

  @Conformance({"A50-31", "A50-32"})
  @Test
  void theSweepThatReturnsAnEndpointForgivesNothing() {
    start(Detections.timed(Detections.failing(50), 1, 10, 300), 3);
    ejectAndReturn(3);

    seconds(1);
    lb.traffic("a", 30, E0::equals);
    seconds(1);

    assertThat(lastEjection().multiplier()).isEqualTo(3);
  }

  @Conformance("A50-33")
  @Test
  void allThatOneSweepEjectsHaveTheTimeOfItsStart() {
    start(Detections.failing(100), 4);
    lb.traffic("a", 40, Set.of(E0, E1)::contains);
    Instant start = lb.loop().now().plusSeconds(10);
    lb.loop().costOfReading(Duration.ofMillis(5)); // time passes within the sweep

    seconds(10);

    assertThat(ejected()).containsExactly(E0, E1);
    assertThat(lb.loop().now()).isAfter(start);
    for (String address : List.of(E0, E1)) {
      var ejection = endpoint(address).detection().ejection().orElseThrow();
      assertThat(ejection.since()).isEqualTo(start);
      assertThat(ejection.until()).isEqualTo(start.plusSeconds(30));
    }
  }

  /** Sweeps are a little more than an interval apart; the first takes longer than that. */
  @Conformance({"A50-29", "A50-33"})
  @Test
  void theTimeOfAnEjectionCountsFromTheStartOfItsSweep() {
    start(Detections.timed(Detections.failing(50), 1, 2, 2), 3);
    lb.traffic("a", 30, E0::equals);

    lb.loop().costOfReading(Duration.ofMillis(5));
    seconds(1);
    assertThat(ejected()).containsExactly(E0);
    lb.loop().costOfReading(Duration.ZERO);
    seconds(1);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
    seconds(1);

    assertThat(lb.shares("a", 30)).containsKey(E0);
  }

  @Conformance("A50-34")
  @Test
  void streamsThatFailLateDoNotEjectTwice() {
    start(Detections.timed(Detections.failing(100), 10, 30, 300), 4);
    List<Subchannel> late =
        IntStream.range(0, 40)
            .mapToObj(i -> lb.start("a"))
            .filter(subchannel -> subchannel.address().toString().equals(E0))
            .toList();
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    late.forEach(stream -> stream.callEnded(TestCall.CALL, CallOutcome.FAILURE));
    lb.traffic("a", 30, OutlierEjectionScenarioTest::none);
    seconds(10);

    assertThat(ejected()).containsExactly(E0);
    assertThat(endpoint(E0).detection().failed()).isEqualTo(10);
    assertThat(endpoint(E0).detection().ejection().orElseThrow().times()).isEqualTo(1);
    seconds(30);
    assertThat(lb.shares("a", 40)).containsKey(E0);
  }

  @Conformance({"A50-35", "A50-36"})
  @Test
  void connectionAndStreamsOutliveTheEjection() {
    start(Detections.failing(50), 4);
    Subchannel stream = lb.start("a");
    String address = stream.address().toString();
    lb.traffic("a", 40, address::equals);
    seconds(10);
    assertThat(lb.shares("a", 30)).doesNotContainKey(address);
    assertThat(stream.transport()).isNotNull();
    assertThat(lb.connector().last(address).isGivenUp()).isFalse();

    seconds(40);

    assertThat(lb.shares("a", 40)).containsEntry(address, 10);
    assertThat(lb.connector().count(address)).isEqualTo(1);
  }

  static Stream<BalancingPolicy> policies() {
    return Stream.of(
        new BalancingPolicy.RoundRobin(),
        new BalancingPolicy.LeastRequest(2),
        new BalancingPolicy.RingHash(1024, 4096, ""),
        new BalancingPolicy.WeightedRoundRobin(
            false,
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMinutes(3),
            Duration.ofSeconds(1),
            1,
            List.of()));
  }

  @Conformance("A50-35")
  @ParameterizedTest
  @MethodSource("policies")
  void everyPolicyThatListensSparesTheEjected(BalancingPolicy policy) {
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                Samples.cluster("a", new ClusterSource.Eds("a"), policy, 1_000),
                Optional.of(Detections.failing(50)),
                Samples.priorities(Samples.zone("z", E0, E1, E2, E3)))));
    readyAll();
    assertThat(hashed(2_000)).containsOnlyKeys(E0, E1, E2, E3);

    seconds(10);
    assertThat(ejected()).containsExactly(E0);
    assertThat(hashed(400)).containsOnlyKeys(E1, E2, E3);
    seconds(40);

    assertThat(hashed(2_000)).containsOnlyKeys(E0, E1, E2, E3);
    assertThat(lb.connector().count(E0)).isEqualTo(1);
  }

  /** Who gets so many calls of different hashes; those to E0 fail. Connects what is asked for. */
  private Map<String, Integer> hashed(int calls) {
    Map<String, Integer> shares = new HashMap<>();
    for (int i = 0; i < calls; i++) {
      var call = TestCall.hashed(i * 0x9E3779B97F4A7C15L);
      if (lb.handle("a").picker().pick(call) instanceof PickResult.Use use) {
        String address = use.subchannel().address().toString();
        use.subchannel()
            .callEnded(call, address.equals(E0) ? CallOutcome.FAILURE : CallOutcome.SUCCESS);
        shares.merge(address, 1, Integer::sum);
      } else {
        lb.loop().run();
        readyAll();
      }
    }
    return shares;
  }

  @Conformance("A50-37")
  @Test
  void aConnectionLostDuringTheEjectionIsFoundLostAfterIt() {
    start(Detections.failing(50), 4);
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    lb.end(E0);
    seconds(39);
    assertThat(lb.connector().count(E0)).isEqualTo(1);
    seconds(1);

    assertThat(lb.connector().count(E0)).isEqualTo(2);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
    lb.ready(E0);
    assertThat(lb.shares("a", 40)).containsKey(E0);
  }

  @Conformance("A50-39")
  @Test
  void whenAllAreEjectedCallsFailAndSaySo() {
    start(Detections.failing(100), 3);
    lb.traffic("a", 30, address -> true);

    seconds(10);

    assertThat(lb.state("a")).isEqualTo(TRANSIENT_FAILURE);
    assertThat(lb.failure("a"))
        .contains("ejected by outlier detection (failure_percentage)")
        .endsWith(Samples.NOTE);
    seconds(40);
    assertThat(lb.state("a")).isEqualTo(READY);
  }

  @Conformance("A50-48")
  @Test
  void anEndpointWithSeveralAddressesIsOne() {
    String other = "10.9.0.0:80";
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                "a",
                Detections.failing(34),
                Samples.priorities(
                    Samples.locality(
                        "z",
                        1,
                        Samples.endpoint(E0, other),
                        Samples.endpoint(E1),
                        Samples.endpoint(E2))))));
    lb.ready(E0, E1, E2);
    lb.traffic("a", 15, E0::equals);
    lb.end(E0); // the rest goes over the other address
    lb.end(E0);
    lb.ready(other);
    lb.traffic("a", 15, other::equals);

    seconds(10);

    assertThat(ejected()).containsExactly(E0);
    assertThat(endpoint(E0).detection().failed()).isEqualTo(10);
    assertThat(lastEjection().after()).isEqualTo(new Share(1, 3));
    assertThat(lb.shares("a", 20)).containsOnlyKeys(E1, E2);
  }

  @Conformance("A50-49")
  @Test
  void anAddressThatStandsInTwoLocalitiesIsOneEndpoint() {
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                "a",
                Detections.failing(34),
                Samples.endpoints(
                    List.of(List.of(Samples.zone("x", E0, E1), Samples.zone("y", E0, E2)))))));
    readyAll();
    lb.traffic("a", 200, E0::equals);

    seconds(10);

    assertThat(lastEjection().after()).isEqualTo(new Share(1, 3));
    assertThat(lb.shares("a", 100)).containsOnlyKeys(E1, E2);
    seconds(40);
    assertThat(lb.shares("a", 100)).containsOnlyKeys(E0, E1, E2);
  }

  @Conformance({"A50-52", "A37-02"})
  @Test
  void aNameIsEjectedWithAllItsAddresses() {
    var dns = Samples.dns("a", E0, E1);
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(dns.cluster(), Optional.of(anyFailure()), endpoints(dns))));
    lb.ready(E0);

    lb.traffic("a", 100, address -> true);
    seconds(10);

    assertThat(lb.state("a")).isEqualTo(TRANSIENT_FAILURE);
    assertThat(lb.failure("a")).contains("ejected");
    assertThat(lb.connector().count(E1)).as("no other address is tried").isZero();
    seconds(40);
    assertThat(lb.picked("a")).isEqualTo(E0);
    assertThat(lb.connector().count(E0)).isEqualTo(1);
  }

  @Test
  void pickFirstDoesNotListenToEjections() {
    var cluster =
        Samples.cluster(
            "a",
            new ClusterSource.Eds("a"),
            new BalancingPolicy.WrrLocality(new BalancingPolicy.PickFirst(false)),
            100);
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched(
                cluster,
                Optional.of(anyFailure()),
                Samples.priorities(Samples.zone("z", E0, E1)))));
    lb.ready(E0);

    lb.traffic("a", 100, address -> true);
    seconds(60);

    assertThat(lb.picked("a")).isEqualTo(E0);
    assertThat(lb.outlierEvents()).isEmpty();
  }

  @Conformance("A50-55")
  @Test
  void theOnlyEndpointCanBeEjected() {
    start(anyFailure(), 1);
    lb.traffic("a", 1, address -> true);

    seconds(10);

    assertThat(lb.failure("a")).contains("ejected by outlier detection");
    seconds(40);
    assertThat(lb.picked("a")).isEqualTo(E0);
  }

  @Conformance("A50-57")
  @Test
  void bothAlgorithmsEjectAnEndpointOnce() {
    start(
        Detections.of(
            Optional.of(new SuccessRate(1900, 100, 3, 10)),
            Optional.of(new FailurePercentage(50, 100, 3, 10)),
            40),
        5);
    lb.traffic("a", 50, E0::equals);

    seconds(10);

    assertThat(lb.outlierEvents()).hasSize(1);
    assertThat(lastEjection().evidence().method()).isEqualTo(Method.SUCCESS_RATE);
    assertThat(lastEjection().multiplier()).isEqualTo(1);
    assertThat(lastEjection().after()).isEqualTo(new Share(1, 5));
  }

  @Conformance("A50-50")
  @Test
  void settingTheWallClockChangesNothing() {
    start(Detections.failing(50), 4);
    lb.traffic("a", 40, E0::equals);
    lb.loop().stepWallClock(Duration.ofDays(365));
    assertThat(lb.outlierEvents()).isEmpty();
    seconds(10);
    assertThat(ejected()).containsExactly(E0);

    lb.loop().stepWallClock(Duration.ofDays(-800));
    seconds(30);
    assertThat(lb.shares("a", 30)).doesNotContainKey(E0);
    seconds(10);

    assertThat(lb.shares("a", 40)).containsKey(E0);
  }

  @Test
  void anEventCarriesTheNumbersThatDecided() {
    start(Detections.deviating(10), 5);
    lb.traffic("a", 50, E0::equals);

    seconds(10);

    OutlierEvent.Ejected event = lastEjection();
    var evidence = (OutlierEvent.LowSuccessRate) event.evidence();
    assertThat(event.cluster()).isEqualTo("a");
    assertThat(evidence.successRate()).isZero();
    assertThat(evidence.mean()).isEqualTo(0.8);
    assertThat(evidence.volume()).isEqualTo(10);
    assertThat(event.before()).isEqualTo(new Share(0, 5));
    assertThat(event.after()).isEqualTo(new Share(1, 5));
    assertThat(event.until()).isEqualTo(event.time().plusSeconds(30));
    assertThat(endpoint(E0).detection().history()).containsExactly(event);
  }

  @Test
  void theLastFiftyEventsOfAnEndpointAreKept() {
    start(Detections.timed(Detections.failing(50), 1, 0, 0), 3);
    for (int i = 0; i < 40; i++) {
      lb.traffic("a", 30, E0::equals);
      seconds(2);
    }

    List<OutlierEvent> history = endpoint(E0).detection().history();

    assertThat(lb.outlierEvents()).hasSize(80);
    assertThat(history).isEqualTo(lb.outlierEvents().subList(30, 80));
  }

  @Test
  void statusShowsTheSettingsAndWhoIsEjected() {
    start(Detections.failing(50), 4);
    lb.traffic("a", 40, E0::equals);
    seconds(10);

    var node = lb.describe("a");

    assertThat(node.detail()).isEqualTo("1 of 4 endpoints are ejected");
    assertThat(node.config())
        .containsEntry("interval", "PT10S")
        .containsEntry("failure_percentage_threshold", 50)
        .doesNotContainKey("enforcing_success_rate");
    assertThat(endpoint(E0).state()).isEqualTo(TRANSIENT_FAILURE);
    assertThat(endpoint(E1).detection().succeeded()).isEqualTo(10);
    assertThat(endpoint(E1).detection().ejection()).isEmpty();
  }

  @Test
  void statusShowsTheSettingsOfTheSuccessRateToo() {
    start(Detections.deviating(50), 4);

    assertThat(lb.describe("a").config())
        .containsEntry("success_rate_stdev_factor", 1900L)
        .containsEntry("success_rate_minimum_hosts", 3L)
        .containsEntry("success_rate_request_volume", 10L)
        .containsEntry("enforcing_success_rate", 100)
        .doesNotContainKey("failure_percentage_threshold");
  }

  /** E0 is ejected {@code times} times in a row; the clock stands at the sweep of its return. */
  private void ejectAndReturn(int times) {
    for (int i = 1; i <= times; i++) {
      lb.traffic("a", 30, E0::equals);
      seconds(1);
      seconds(10L * i + 1);
    }
    List<OutlierEvent> events = lb.outlierEvents();
    var ejected = (OutlierEvent.Ejected) events.get(events.size() - 2);
    assertThat(events)
        .last()
        .isEqualTo(
            new OutlierEvent.Unejected(
                "a",
                ejected.address(),
                lb.loop().now(),
                ejected.time(),
                ejected.multiplier(),
                OutlierEvent.UnejectReason.TIME_IS_OVER));
  }

  /** One failed call is enough to eject. */
  private static OutlierDetection anyFailure() {
    return Detections.of(Optional.empty(), Optional.of(new FailurePercentage(50, 100, 1, 1)), 10);
  }

  /** A cluster of {@code count} endpoints, all connected. */
  private void start(OutlierDetection detection, int count) {
    String[] addresses =
        IntStream.range(0, count).mapToObj(i -> "10.0.0." + i + ":80").toArray(String[]::new);
    lb.apply(
        Samples.config(
            Set.of("a"),
            Samples.watched("a", detection, Samples.priorities(Samples.zone("z", addresses)))));
    readyAll();
  }

  private static EndpointSet endpoints(ClusterConfig.Leaf leaf) {
    return leaf.endpoints().toOptional().orElseThrow();
  }

  private void readyAll() {
    lb.loop().inside(() -> lb.connector().readyAll());
  }

  private void seconds(long seconds) {
    lb.advance(Duration.ofSeconds(seconds));
  }

  private LbEndpoint endpoint(String address) {
    return lb.endpoint("a", address);
  }

  /** Everybody that was ever ejected, in order. */
  private List<String> ejected() {
    return lb.outlierEvents().stream()
        .filter(event -> event instanceof OutlierEvent.Ejected)
        .map(event -> event.address().toString())
        .toList();
  }

  private OutlierEvent.Ejected lastEjection() {
    List<OutlierEvent> events =
        lb.outlierEvents().stream().filter(event -> event instanceof OutlierEvent.Ejected).toList();
    return (OutlierEvent.Ejected) events.get(events.size() - 1);
  }
}
