package io.outrigger.lb.endpoint.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.outrigger.base.Xxh64;
import io.outrigger.testing.Conformance;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingTest {
  private record Weighted(Ring.Slot slot, long share) {}

  /** Placed by hand: the hashes of {@code key_index} by the reference implementation. */
  @Conformance({"A42-01", "A42-04"})
  @Test
  void entriesAreTheHashesOfKeyUnderscoreIndex() {
    var slots = slots(new long[] {1, 1}, "10.0.0.1:80", "[::1]:80");
    Ring ring = ring(slots, 2, 2);

    assertThat(ring.size()).isEqualTo(2);
    assertThat(Xxh64.hash("10.0.0.1:80_0")).isEqualTo(0x75041381e7371a08L);
    assertThat(keyAt(slots, ring, 0x75041381e7371a08L)).isEqualTo("10.0.0.1:80");
    assertThat(keyAt(slots, ring, Xxh64.hash("[::1]:80_0"))).isEqualTo("[::1]:80");
  }

  /** The sizes that Envoy's formula gives. */
  @Conformance("A42-02")
  @ParameterizedTest(name = "weights {0}, {1} to {2}: {3} and {4} entries")
  @CsvSource({
    "1 1,     1,       8388608, 1,    1",
    "1 1,     1024,    8388608, 512,  512",
    "1 2,     1024,    8388608, 342,  684",
    "1 2,     1024,    1024,    342,  682",
    "1 1,     8388608, 8388608, 2048, 2048",
    "1 1,     1,       1,       1,    0",
    "3 1,     4,       100,     3,    1",
    "4000000000 1000000000, 5, 100, 4, 1",
  })
  void entriesFollowTheWeights(String weights, long min, long max, int first, int second) {
    long[] each = Arrays.stream(weights.split(" ", -1)).mapToLong(Long::parseLong).toArray();
    Ring ring = ring(slots(each, "a", "b"), min, max);

    int[] counts = new int[2];
    for (int i = 0; i < ring.size(); i++) {
      counts[ring.slotAt(i)]++;
    }
    assertThat(counts).containsExactly(first, second);
  }

  @Test
  void entriesAreInOrderAndShareAllHashes() {
    for (int size : new int[] {1, 2, 100, 4096}) {
      Ring ring = ring(slots(1), size, size);

      double sum = 0;
      for (int place = 0; place < ring.size(); place++) {
        assertThat(ring.indexOf(ring.hashes[place])).isEqualTo(place);
        sum += ring.share(place);
      }
      assertThat(ring.size()).isEqualTo(size);
      assertThat(sum).isCloseTo(1, offset(1e-9));
    }
  }

  @Conformance("A42-06")
  @Test
  void theRingIsClosedAndItsOrderUnsigned() {
    List<Weighted> slots = slots(10);
    Ring ring = ring(slots, 100, 100);

    assertThat(ring.indexOf(-1)).as("above the largest entry").isZero();
    assertThat(ring.indexOf(0)).isZero();
    int last = ring.size() - 1;
    assertThat(ring.next(last)).isZero();
    long middle = Long.MIN_VALUE; // half of all hashes are above, as unsigned numbers
    assertThat(ring.indexOf(middle)).isBetween(30, 70);
    assertThat(ring.indexOf(middle - 1)).isLessThanOrEqualTo(ring.indexOf(middle));
  }

  @Conformance("A42-05")
  @Test
  void randomHashesAreSharedByWeight() {
    List<Weighted> slots = slots(new long[] {1, 2}, "10.0.0.1:80", "10.0.0.2:80");

    Map<String, Integer> shares = shares(slots, ring(slots, 1024, 4096), 30_000);

    assertThat(shares.get("10.0.0.1:80")).isBetween(8_500, 11_500);
  }

  @Conformance("A42-13")
  @Test
  void removingAnEndpointMovesItsOwnKeysOnly() {
    List<Weighted> before = slots(10);
    List<Weighted> after = before.subList(0, 9);
    Ring ring = ring(before, 1024, 4096);
    Ring smaller = ring(after, 1024, 4096);

    var random = new Random(7);
    int moved = 0;
    for (int i = 0; i < 10_000; i++) {
      long hash = random.nextLong();
      if (!keyAt(before, ring, hash).equals(keyAt(after, smaller, hash))) {
        moved++;
      }
    }

    assertThat(moved).isBetween(500, 2_000);
  }

  private static Map<String, Integer> shares(List<Weighted> slots, Ring ring, int hashes) {
    var random = new Random(8);
    Map<String, Integer> shares = new HashMap<>();
    for (int i = 0; i < hashes; i++) {
      shares.merge(keyAt(slots, ring, random.nextLong()), 1, Integer::sum);
    }
    return shares;
  }

  private static String keyAt(List<Weighted> slots, Ring ring, long hash) {
    return slots.get(ring.slotAt(ring.indexOf(hash))).slot().key();
  }

  private static Ring ring(List<Weighted> slots, long minSize, long maxSize) {
    return Ring.of(
        slots.stream().map(Weighted::slot).toList(),
        slots.stream().mapToLong(Weighted::share).toArray(),
        minSize,
        maxSize);
  }

  private static List<Weighted> slots(int count) {
    return slots(
        LongStream.generate(() -> 1).limit(count).toArray(),
        IntStream.range(0, count).mapToObj(i -> "10.0.0." + i + ":80").toArray(String[]::new));
  }

  /** In the order of the keys, as they must be given. */
  private static List<Weighted> slots(long[] weights, String... keys) {
    return IntStream.range(0, keys.length)
        .mapToObj(i -> new Weighted(new Ring.Slot(keys[i], ""), weights[i]))
        .sorted(Comparator.comparing(Weighted::slot, Ring.Slot.ORDER))
        .toList();
  }
}
