package io.outrigger.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.outrigger.oracle.TrafficStory.Cluster;
import io.outrigger.oracle.TrafficStory.Step;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * Our client and gRPC's, each from the stream of its control plane to the backend of a call, under
 * the same sequences of what happens to them ({@code scripts/differential} tells many more).
 */
class TrafficOracleTest {
  private static final long SEED = 20_260_101;
  private static final int STORIES = 150;
  private static final int LENGTH = 25;

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.outrigger");

  @BeforeEach
  void quiet() {
    logger.setLevel(Level.OFF);
  }

  @AfterEach
  void loud() {
    logger.setLevel(null);
  }

  @Conformance({"A28-13", "A29-02", "A68-02", "A121-01"})
  @Test
  void callersSeeTheSameWhateverHappens() {
    var totals = new TrafficTotals();

    for (long seed = SEED; seed < SEED + STORIES; seed++) {
      assertThat(TrafficRun.check(seed, LENGTH, totals)).isEmpty();
    }

    assertThat(totals.answered).isGreaterThan(100);
    assertThat(totals.failed).isGreaterThan(100);
    assertThat(totals.waited).isGreaterThan(100);
    for (SubsetTally subsets : List.of(totals.ours, totals.grpc)) {
      assertThat(subsets.subsets()).isGreaterThan(8);
      assertThat(subsets.worst()).isLessThan(TrafficTotals.WORST);
    }
  }

  /** A comparison that finds nothing must be one that can find something. */
  @Test
  void aClientThatHearsOfOneBackendLessIsToldApart() {
    long told =
        LongStream.range(SEED, SEED + STORIES)
            .mapToObj(
                seed ->
                    TrafficRun.difference(
                        seed,
                        TrafficStory.random(seed, LENGTH),
                        TrafficOracleTest::withoutABackend,
                        new TrafficTotals()))
            .filter(Optional::isPresent)
            .count();

    assertThat(told).isGreaterThan(STORIES / 6);
  }

  private static Step withoutABackend(Step step) {
    return step instanceof Step.Deploy deploy
        ? new Step.Deploy(
            deploy.name(),
            deploy
                .cluster()
                .map(
                    cluster ->
                        new Cluster(
                            cluster.renamed(),
                            cluster.subset(),
                            cluster.tls(),
                            cluster.priorities().stream()
                                .map(ports -> ports.stream().skip(1).toList())
                                .toList())))
        : step;
  }

  @Conformance({"A28-13", "A29-02", "A29-10", "A68-01", "A101-01"})
  @Test
  void theSameResourcesAreAccepted() {
    for (long seed = SEED; seed < SEED + STORIES; seed++) {
      assertThat(JudgementRun.check(seed)).isEmpty();
    }
  }

  @Test
  void manyResourcesAreAcceptedAndKnownDifferencesAreFound() {
    long accepted = LongStream.range(SEED, SEED + 40).map(JudgementRun::accepted).sum();
    long different =
        LongStream.range(SEED, SEED + 40)
            .mapToObj(seed -> JudgementRun.difference(seed, resource -> resource))
            .filter(Optional::isPresent)
            .count();

    assertThat(accepted).isBetween(40L, 300L);
    assertThat(different).isGreaterThan(10);
  }
}
