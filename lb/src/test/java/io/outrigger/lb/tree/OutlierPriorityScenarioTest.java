package io.outrigger.lb.tree;

import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.testing.Samples.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.lb.view.OutlierEvent.Share;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Detection above the priorities of a cluster, and per leaf of an aggregate (A75). */
class OutlierPriorityScenarioTest {
  private static final String[] FIRST = addresses(0, 4);
  private static final String[] SECOND = addresses(1, 6);
  private static final EndpointSet TWO = Samples.priorities(zone("x", FIRST), zone("y", SECOND));

  private final LbScript lb = new LbScript();

  @Conformance({"A75-24", "A50-25"})
  @Test
  void theShareIsThatOfAllPriorities() {
    apply(Detections.failing(10), TWO);
    lb.traffic("a", 40, Set.of(FIRST[0], FIRST[1])::contains);

    seconds(10);

    assertThat(ejected()).containsExactly(FIRST[0]);
    assertThat(lastEjection().after()).isEqualTo(new Share(1, 10));
    lb.traffic("a", 40, FIRST[1]::equals);
    seconds(10);
    assertThat(ejected()).hasSize(1);
  }

  @Conformance("A75-24")
  @Test
  void afterAFailoverInTheMiddleOfAnIntervalBothPrioritiesCount() {
    apply(of(new FailurePercentage(50, 100, 10, 10), 10), TWO);
    lb.traffic("a", 40, address -> false);
    lb.end(FIRST);
    lb.end(FIRST);
    readyAll();
    lb.traffic("a", 60, SECOND[0]::equals);

    seconds(10);

    assertThat(ejected()).containsExactly(SECOND[0]); // ten hosts had the volume, as asked for
    assertThat(((OutlierEvent.HighFailurePercentage) lastEjection().evidence()).hosts())
        .isEqualTo(10);
  }

  @Conformance("A75-25")
  @Test
  void anEndpointThatMovesToAnotherPriorityStaysEjected() {
    apply(Detections.failing(50), TWO);
    lb.end(FIRST);
    lb.end(FIRST);
    readyAll();
    lb.traffic("a", 60, SECOND[0]::equals);
    seconds(10);
    assertThat(ejected()).containsExactly(SECOND[0]);

    apply(
        Detections.failing(50),
        Samples.priorities(zone("x", SECOND[0], SECOND[1]), zone("y", addresses(2, 3))));

    assertThat(lb.shares("a", 30)).containsOnlyKeys(SECOND[1]);
    assertThat(lb.connector().count(SECOND[0])).isEqualTo(1);
    assertThat(lb.endpoint("a", SECOND[0]).detection().ejection().orElseThrow().times())
        .isEqualTo(1);
    seconds(40);
    assertThat(lb.shares("a", 30)).containsOnlyKeys(SECOND[0], SECOND[1]);
  }

  @Conformance("A50-38")
  @Test
  void aConnectionMadeDuringTheEjectionStartsOutEjected() {
    apply(Detections.failing(50), TWO);
    lb.traffic("a", 40, FIRST[0]::equals);
    seconds(10);
    lb.end(FIRST[0]); // what was connected is gone, unseen

    // another locality: another policy, and subchannels of its own
    apply(Detections.failing(50), Samples.priorities(zone("new", FIRST), zone("y", SECOND)));
    assertThat(lb.shares("a", 30)).doesNotContainKey(FIRST[0]);
    assertThat(lb.connector().count(FIRST[0])).isEqualTo(2);
    seconds(40);

    assertThat(lb.shares("a", 40)).containsKey(FIRST[0]);
    assertThat(lb.connector().count(FIRST[0])).isEqualTo(2);
  }

  @Conformance("A75-26")
  @Test
  void whenAllOfAPriorityAreEjectedTheNextIsUsedUntilTheyReturn() {
    apply(Detections.failing(100), TWO);
    lb.traffic("a", 40, Set.of(FIRST)::contains);

    seconds(10);
    assertThat(lb.open()).contains(SECOND);
    readyAll();
    assertThat(lb.shares("a", 60)).containsOnlyKeys(SECOND);
    assertThat(lb.state("a")).isEqualTo(READY);
    seconds(30);
    assertThat(lb.shares("a", 60)).containsOnlyKeys(SECOND);
    seconds(10);

    assertThat(lb.shares("a", 40)).containsOnlyKeys(FIRST);
    for (String address : FIRST) {
      assertThat(lb.connector().count(address)).isEqualTo(1);
    }
  }

  @Conformance({"A50-53", "A75-22"})
  @Test
  void eachLeafOfAnAggregateHasItsOwnDetection() {
    ClusterConfig.Leaf watched =
        Samples.watched("w", Detections.failing(100), Samples.priorities(zone("x", FIRST)));
    ClusterConfig.Leaf unwatched = Samples.eds("u", SECOND);
    ClusterConfig.Aggregate plain = Samples.aggregate("all", "w", "u");
    var aggregate =
        new ClusterConfig.Aggregate(
            Samples.watched(plain.cluster(), Optional.of(Detections.failing(100)), TWO).cluster(),
            plain.leaves(),
            Samples.NOTE);
    lb.apply(Samples.config(Set.of("all"), aggregate, watched, unwatched));
    readyAll();

    lb.traffic("all", 40, address -> true);
    seconds(10);
    readyAll();
    lb.traffic("all", 600, address -> true);
    seconds(20);

    assertThat(ejected()).containsExactlyInAnyOrder(FIRST);
    assertThat(lastEjection().cluster()).isEqualTo("w");
    assertThat(lb.shares("all", 60)).containsOnlyKeys(SECOND);
    seconds(20);
    assertThat(lb.shares("all", 60)).containsOnlyKeys(FIRST);
  }

  /** A name that answers only errors is an endpoint like others: the next leaf takes its calls. */
  @Conformance({"A50-52", "A37-10"})
  @Test
  void aNameThatAnswersOnlyErrorsIsFollowedByTheNextLeaf() {
    ClusterConfig.Leaf name = Samples.dns("d", FIRST);
    ClusterConfig.Leaf watched =
        Samples.watched(
            name.cluster(),
            Optional.of(of(new FailurePercentage(50, 100, 1, 10), 100)),
            name.endpoints().toOptional().orElseThrow());
    lb.apply(
        Samples.config(
            Set.of("all"), Samples.aggregate("all", "d", "e"), watched, Samples.eds("e", SECOND)));
    lb.ready(FIRST[0]);

    lb.traffic("all", 40, address -> true);
    seconds(10);
    readyAll();

    assertThat(lb.shares("all", 60)).containsOnlyKeys(SECOND);
  }

  /** A75: an update under detection is seen whole, or not at all. */
  @Conformance("A56-09")
  @Test
  void noPickGoesWrongWhileAnUpdateMovesEjectedEndpoints() {
    apply(Detections.failing(100), TWO);
    lb.traffic("a", 40, Set.of(FIRST)::contains);
    seconds(10);
    readyAll();
    ClusterHandle handle = lb.handle("a");
    List<String> seen = new ArrayList<>();

    lb.loop()
        .inside(
            () -> {
              lb.manager()
                  .apply(
                      config(
                          Detections.failing(100),
                          Samples.priorities(zone("y", SECOND), zone("x", FIRST))));
              for (int i = 0; i < 12; i++) {
                var use = (PickResult.Use) handle.picker().pick(TestCall.CALL);
                seen.add(use.subchannel().address().toString());
              }
            });

    assertThat(seen).containsOnly(SECOND);
    assertThat(lb.shares("a", 60)).containsOnlyKeys(SECOND);
  }

  private static OutlierDetection of(FailurePercentage algorithm, int maxPercent) {
    return Detections.of(Optional.empty(), Optional.of(algorithm), maxPercent);
  }

  private void apply(OutlierDetection detection, EndpointSet endpoints) {
    lb.apply(config(detection, endpoints));
    readyAll();
  }

  private static XdsConfig config(OutlierDetection detection, EndpointSet endpoints) {
    return Samples.config(Set.of("a"), Samples.watched("a", detection, endpoints));
  }

  private static String[] addresses(int group, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "10.0." + group + "." + i + ":80")
        .toArray(String[]::new);
  }

  private void readyAll() {
    lb.loop().inside(() -> lb.connector().readyAll());
  }

  private void seconds(long seconds) {
    lb.advance(Duration.ofSeconds(seconds));
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
