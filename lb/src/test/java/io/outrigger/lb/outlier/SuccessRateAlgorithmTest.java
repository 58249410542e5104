package io.outrigger.lb.outlier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.outrigger.config.cluster.OutlierDetection.SuccessRate;
import io.outrigger.lb.outlier.EndpointTracker.IntervalCalls;
import io.outrigger.lb.view.OutlierEvent.LowSuccessRate;
import io.outrigger.testing.Conformance;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuccessRateAlgorithmTest {
  /** Hosts are written as succeeded/failed. */
  @Conformance({"A50-16", "A50-17", "A50-21"})
  @ParameterizedTest(name = "{0}: factor {1}, hosts {2}, volume {3} -> {4}")
  @CsvSource({
    // mean 0.8, deviation 0.4 (of the population): the threshold is 0.04, then -0.04
    "100/0 100/0 100/0 100/0 0/100,          1900, 5, 100, 4",
    "100/0 100/0 100/0 100/0 0/100,          2100, 5, 100, ''",
    // the threshold is exactly the rate: not below it
    "100/0 100/0 100/0 100/0 0/100,          2000, 5, 100, ''",
    // of the sample, the deviation would be 0.447 and the threshold below zero
    "100/0 100/0 100/0 100/0 0/100,          1950, 5, 100, 4",
    // one host short of the minimum
    "100/0 100/0 100/0 0/100,                1000, 5, 100, ''",
    "100/0 100/0 100/0 0/100,                1000, 4, 100, 3",
    // a host without the volume neither counts, nor is compared, nor ejected
    "100/0 100/0 100/0 100/0 0/99,           1000, 5, 100, ''",
    "100/0 100/0 100/0 100/0 0/99,           1000, 5,  99, 4",
    "100/0 100/0 100/0 100/0 100/0 0/99,     1000, 5, 100, ''",
    // a factor of zero: all that are below the mean; the worst comes first
    "100/0 90/10 80/20 0/100,                   0, 4, 100, 3",
    "100/0 60/40 50/50 100/0,                   0, 4, 100, 2 1",
    // factors that no host can reach
    "100/0 100/0 100/0 100/0 0/100,    4294967295, 5, 100, ''",
  })
  void hostsFarBelowTheMeanAreCandidates(
      String hosts, long factor, long minimumHosts, long volume, String expected) {
    var settings = new SuccessRate(factor, 100, minimumHosts, volume);

    assertThat(candidates(settings, hosts(hosts))).isEqualTo(numbers(expected));
  }

  @Conformance("A50-18")
  @ParameterizedTest(name = "{0} of {1}")
  @CsvSource({"0, 100", "100, 100", "1, 3", "1, 10", "7, 13", "33, 1000", "999983, 1000003"})
  void equalHostsAreNeverCandidates(long succeeded, long volume) {
    for (int count = 1; count < 50; count++) {
      List<IntervalCalls> hosts =
          Collections.nCopies(count, new IntervalCalls(succeeded, volume - succeeded));

      assertThat(candidates(new SuccessRate(0, 100, 1, 1), hosts)).isEmpty();
      assertThat(candidates(new SuccessRate(1900, 100, 1, 1), hosts)).isEmpty();
    }
  }

  @Conformance("A50-56")
  @Test
  void hostsWithoutACallAreLeftOutThoughTheVolumeIsZero() {
    List<IntervalCalls> hosts = hosts("0/0 0/0 0/0 100/0 100/0 100/0 100/0 0/100");

    assertThat(candidates(new SuccessRate(1900, 100, 5, 0), hosts)).containsExactly(7);
    assertThat(candidates(new SuccessRate(1900, 100, 6, 0), hosts)).isEmpty();
    assertThat(candidates(new SuccessRate(1900, 100, 0, 0), hosts("0/0 0/0"))).isEmpty();
    assertThat(candidates(new SuccessRate(1900, 100, 0, 0), List.of())).isEmpty();
  }

  @Conformance("A50-56")
  @Test
  void volumesBeyondASignedIntAreNeverReached() {
    var settings = new SuccessRate(1900, 100, 0, 4_294_967_295L);

    assertThat(candidates(settings, hosts("100/0 100/0 100/0 100/0 0/100"))).isEmpty();
  }

  @Test
  void aCandidateComesWithItsNumbers() {
    var settings = new SuccessRate(1900, 100, 5, 100);

    OutlierAlgorithms.Candidate found =
        OutlierAlgorithms.candidates(settings, hosts("100/0 100/0 100/0 100/0 0/150 0/1 100/0"))
            .get(0);

    var evidence = (LowSuccessRate) found.evidence();
    assertThat(evidence.successRate()).isZero();
    assertThat(evidence.mean()).isCloseTo(5 / 6.0, within(1e-12));
    assertThat(evidence.standardDeviation()).isCloseTo(Math.sqrt(5) / 6, within(1e-12));
    assertThat(evidence.threshold()).isCloseTo((5 - 1.9 * Math.sqrt(5)) / 6, within(1e-12));
    assertThat(evidence.volume()).isEqualTo(150);
    assertThat(evidence.hosts()).isEqualTo(6);
  }

  /** Whatever the rates: candidates are below all others that were compared, and not everybody. */
  @Test
  void candidatesAreTheWorst() {
    var random = new Random(50);
    for (int round = 0; round < 2_000; round++) {
      List<IntervalCalls> hosts =
          IntStream.range(0, 1 + random.nextInt(30))
              .mapToObj(host -> new IntervalCalls(random.nextInt(200), random.nextInt(200)))
              .toList();
      var settings = new SuccessRate(random.nextInt(3_000), 100, 1, 100);

      List<Integer> found = candidates(settings, hosts);

      List<Integer> compared =
          IntStream.range(0, hosts.size())
              .filter(i -> hosts.get(i).volume() >= 100)
              .boxed()
              .toList();
      assertThat(compared).containsAll(found);
      double worst = found.stream().mapToDouble(i -> hosts.get(i).successRate()).max().orElse(-1);
      assertThat(compared.stream().filter(i -> !found.contains(i)))
          .allMatch(i -> hosts.get(i).successRate() >= worst);
      assertThat(found.size()).isLessThanOrEqualTo(Math.max(0, compared.size() - 1));
    }
  }

  private static List<Integer> candidates(SuccessRate settings, List<IntervalCalls> hosts) {
    return OutlierAlgorithms.candidates(settings, hosts).stream()
        .map(OutlierAlgorithms.Candidate::host)
        .toList();
  }

  static List<IntervalCalls> hosts(String text) {
    return Arrays.stream(text.trim().split(" "))
        .map(host -> host.split("/"))
        .map(parts -> new IntervalCalls(Long.parseLong(parts[0]), Long.parseLong(parts[1])))
        .toList();
  }

  static List<Integer> numbers(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(" ")).map(Integer::valueOf).toList();
  }
}
