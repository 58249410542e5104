package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.OutlierDetection.FailurePercentage;
import io.outrigger.lb.outlier.EndpointTracker.IntervalCalls;
import io.outrigger.lb.view.OutlierEvent.HighFailurePercentage;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailurePercentageAlgorithmTest {
  /** Hosts are written as succeeded/failed. */
  @Conformance({"A50-19", "A50-21"})
  @ParameterizedTest(name = "{0}: threshold {1}, hosts {2}, volume {3} -> {4}")
  @CsvSource({
    "15/85 14/86 100/0,             85, 1, 50, 1",
    "0/100 0/100,                  100, 1, 50, ''",
    "100/0 99/1,                     0, 1, 50, 1",
    "100/0 100/0,                    0, 1, 50, ''",
    // exactly the volume, and one call less
    "0/50 0/49,                     85, 1, 50, 0",
    // the worst comes first
    "10/90 5/95 0/100 90/10,        85, 1, 50, 2 1 0",
    // a third is more than 33 %, and not more than 34 %
    "200/100,                       33, 1, 50, 0",
    "200/100,                       34, 1, 50, ''",
  })
  void hostsThatFailTooOftenAreCandidates(
      String hosts, int threshold, long minimumHosts, long volume, String expected) {
    var settings = new FailurePercentage(threshold, 100, minimumHosts, volume);

    assertThat(candidates(settings, SuccessRateAlgorithmTest.hosts(hosts)))
        .isEqualTo(SuccessRateAlgorithmTest.numbers(expected));
  }

  @Conformance("A50-20")
  @Test
  void onlyHostsWithVolumeCountTowardsTheMinimum() {
    var settings = new FailurePercentage(85, 100, 5, 50);
    List<IntervalCalls> hosts = new ArrayList<>(Collections.nCopies(4, new IntervalCalls(0, 50)));
    hosts.addAll(Collections.nCopies(6, new IntervalCalls(49, 0)));
    assertThat(candidates(settings, hosts)).isEmpty();

    hosts.set(9, new IntervalCalls(50, 0));

    assertThat(candidates(settings, hosts)).containsExactly(0, 1, 2, 3);
  }

  @Conformance("A50-56")
  @Test
  void noVolumeIsNoPercentage() {
    var settings = new FailurePercentage(0, 100, 1, 0);

    assertThat(candidates(settings, List.of(IntervalCalls.NONE, new IntervalCalls(0, 1))))
        .containsExactly(1);
    assertThat(candidates(new FailurePercentage(0, 100, 0, 0), List.of(IntervalCalls.NONE)))
        .isEmpty();
    assertThat(candidates(new FailurePercentage(0, 100, 2, 0), List.of(IntervalCalls.NONE)))
        .isEmpty();
  }

  @Test
  void aCandidateComesWithItsNumbers() {
    var settings = new FailurePercentage(85, 100, 1, 50);

    OutlierAlgorithms.Candidate found =
        OutlierAlgorithms.candidates(settings, SuccessRateAlgorithmTest.hosts("100/0 10/90"))
            .get(0);

    assertThat(found.evidence()).isEqualTo(new HighFailurePercentage(90, 85, 100, 2));
  }

  private static List<Integer> candidates(FailurePercentage settings, List<IntervalCalls> hosts) {
    return OutlierAlgorithms.candidates(settings, hosts).stream()
        .map(OutlierAlgorithms.Candidate::host)
        .toList();
  }
}
