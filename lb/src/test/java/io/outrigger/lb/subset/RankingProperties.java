package io.outrigger.lb.subset;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** A68 "Low connection churn", whatever the seed, the endpoints and the size. */
class RankingProperties {
  @Conformance("A68-02")
  @Property(tries = 300, seed = "68")
  void oneEndpointMoreOrLessChangesOneMemberAtMost(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 40) int endpoints,
      @ForAll @IntRange(min = 1, max = 45) int size,
      @ForAll Random random) {
    var ranking = new Ranking(seed);
    List<Backend> all = new ArrayList<>(backends(endpoints));
    Set<Backend> before = Set.copyOf(ranking.lowest(List.copyOf(all), size));

    for (int step = 0; step < 20; step++) {
      if (all.size() > 1 && random.nextBoolean()) {
        all.remove(random.nextInt(all.size()));
      } else {
        all.add(random.nextInt(all.size() + 1), backend(100 + step));
      }
      Set<Backend> after = Set.copyOf(ranking.lowest(List.copyOf(all), size));

      assertThat(after).hasSize(Math.min(size, all.size())).isSubsetOf(all);
      assertThat(without(before, after)).hasSizeLessThanOrEqualTo(1);
      assertThat(without(after, before)).hasSizeLessThanOrEqualTo(1);
      before = after;
    }
  }

  @Conformance("A68-02")
  @Property(tries = 300, seed = "68")
  void theMembersAreThoseOfTheLowestHashesHoweverTheUpdatesCame(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll @IntRange(min = 1, max = 5) int updates,
      @ForAll Random random) {
    var ranking = new Ranking(seed);
    for (int update = 0; update < updates; update++) {
      List<Backend> all = new ArrayList<>(backends(1 + random.nextInt(40)));
      if (random.nextBoolean()) {
        Collections.shuffle(all, random);
      }
      List<Backend> next = List.copyOf(all);

      assertThat(ranking.lowest(next, size)).isEqualTo(expected(next, size, seed));
      assertThat(ranking.lowest(next, size)).isEqualTo(expected(next, size, seed));
    }
  }

  /** As A68 writes it down. */
  private static List<Backend> expected(List<Backend> all, int size, long seed) {
    if (size >= all.size()) {
      return all;
    }
    Comparator<Backend> byHash =
        (one, other) -> Long.compareUnsigned(hash(one, seed), hash(other, seed));
    return all.stream().sorted(byHash).limit(size).toList();
  }

  private static long hash(Backend backend, long seed) {
    return Xxh64.hash(backend.endpoint().addresses().get(0).toString(), seed);
  }

  private static Set<Backend> without(Set<Backend> some, Set<Backend> others) {
    Set<Backend> rest = new HashSet<>(some);
    rest.removeAll(others);
    return rest;
  }

  private static List<Backend> backends(int count) {
    List<Backend> backends = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      backends.add(backend(i));
    }
    return backends;
  }

  /** With a second address, which counts for nothing. */
  private static Backend backend(int number) {
    return Samples.backend("10.0.0." + number + ":80", "10.0.1." + (200 - number) + ":80");
  }
}
