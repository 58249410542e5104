package io.outrigger.lb.subset;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.subset.Ranking.Ranked;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RankingTest {
  private static final List<Backend> HUNDRED =
      IntStream.rangeClosed(1, 100).mapToObj(i -> Samples.backend("10.0.0." + i + ":80")).toList();

  /**
   * Each endpoint has 100 connections on average, with a standard deviation of 9.5: 20 % is little
   * more than two of them, so that some of a hundred are beyond.
   */
  @Conformance("A68-03")
  @Test
  void aThousandProcessesSpreadOverHundredEndpoints() {
    int[] connections = connections(1_000, 10);

    assertThat(Arrays.stream(connections).sum()).isEqualTo(10_000);
    assertThat(Arrays.stream(connections).filter(n -> n >= 80 && n <= 120)).hasSizeGreaterThan(90);
    assertThat(Arrays.stream(connections)).allMatch(n -> n >= 60 && n <= 140);
  }

  @Conformance("A68-03")
  @Test
  void theMoreProcessesTheMoreEvenlyTheySpread() {
    assertThat(Arrays.stream(connections(10_000, 10))).allMatch(n -> n >= 800 && n <= 1_200);
  }

  /** How many of {@code processes} connect to each of a hundred endpoints. */
  private static int[] connections(int processes, int size) {
    var seeds = new Random(68);
    int[] connections = new int[HUNDRED.size()];
    for (int process = 0; process < processes; process++) {
      for (Backend member : new Ranking(seeds.nextLong()).lowest(HUNDRED, size)) {
        connections[HUNDRED.indexOf(member)]++;
      }
    }
    return connections;
  }

  @Conformance("A68-02")
  @Test
  void processesChooseIndependently() {
    Set<Backend> one = Set.copyOf(new Ranking(1).lowest(HUNDRED, 10));
    Set<Backend> other = Set.copyOf(new Ranking(2).lowest(HUNDRED, 10));

    assertThat(one).isNotEqualTo(other);
    assertThat(Set.copyOf(new Ranking(1).lowest(HUNDRED, 10))).isEqualTo(one);
  }

  @Conformance("A68-02")
  @Test
  void fewerThanTheSizeAreAllInTheirOwnOrder() {
    assertThat(new Ranking(1).lowest(HUNDRED, 100)).isSameAs(HUNDRED);
    assertThat(new Ranking(1).lowest(HUNDRED, 4294967295L)).isSameAs(HUNDRED);
    assertThat(new Ranking(1).lowest(HUNDRED, 99)).hasSize(99).isNotEqualTo(HUNDRED);
  }

  /** Hashes are unsigned; wherever endpoints stand, those of equal hashes go by address. */
  @Conformance("A68-02")
  @Test
  void equalHashesAreInOneOrder() {
    var first = new Ranked(7, HUNDRED.get(0));
    var second = new Ranked(7, HUNDRED.get(1));
    var last = new Ranked(-1, HUNDRED.get(0));

    assertThat(Stream.of(last, second, first).sorted(Ranked.LOWEST_FIRST))
        .containsExactly(first, second, last);
  }

  @Conformance("A68-02")
  @Test
  void theLowestAreChosenHoweverHighTheirHashes() {
    Comparator<Backend> byHash = (one, other) -> Long.compareUnsigned(hash(one), hash(other));
    List<Backend> high =
        IntStream.range(0, 500)
            .mapToObj(i -> Samples.backend("10.0." + i / 250 + "." + i % 250 + ":80"))
            .filter(backend -> hash(backend) < 0)
            .toList();
    assertThat(high).hasSizeGreaterThan(200);

    assertThat(new Ranking(1).lowest(high, 3))
        .isEqualTo(high.stream().sorted(byHash).limit(3).toList());
  }

  private static long hash(Backend backend) {
    return Xxh64.hash(backend.endpoint().address().toString(), 1);
  }
}
