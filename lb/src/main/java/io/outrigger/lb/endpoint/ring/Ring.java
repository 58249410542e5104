package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Xxh64;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Hashes in order, each with the endpoint it leads to (A42 "Ring Construction"). Equal keys,
 * weights and sizes give an equal ring in every process, in whatever order the endpoints came.
 */
@AnyThread
final class Ring {
  /** What a control plane may make a client hold, whatever sizes it asks for (A42). */
  static final long CAP = 4096;

  /** Ascending as unsigned numbers. */
  private final long[] hashes;

  /** The place in the list of slots of the endpoint to which the hash of the same place leads. */
  private final int[] members;

  private Ring(long[] hashes, int[] members) {
    this.hashes = hashes;
    this.members = members;
  }

  /**
   * An endpoint on the ring.
   *
   * @param key what is hashed to place it
   * @param weight its share of the ring in proportion to others; positive
   */
  record Slot(String key, long weight) {}

  private record Entry(long hash, int member) {}

  /**
   * The ring of {@code slots}, of which there is at least one. The lightest gets a whole number of
   * entries, such that there are {@code minSize} or a few more in all, unless {@code maxSize} or
   * {@link #CAP} is less. That many, or one more where the shares do not add up to a whole: gRPC
   * lets the last slot round up too, and an entry less would be another ring than its.
   */
  static Ring of(List<Slot> slots, long minSize, long maxSize) {
    double total = 0;
    double least = Double.MAX_VALUE;
    for (Slot slot : slots) {
      total += slot.weight();
      least = Math.min(least, slot.weight());
    }
    double leastShare = least / total;
    double size =
        Math.min(
            Math.ceil(leastShare * Math.min(minSize, CAP)) / leastShare, Math.min(maxSize, CAP));
    Integer[] order = new Integer[slots.size()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparing(i -> slots.get(i).key()));
    Entry[] entries = new Entry[(int) Math.ceil(size) + 1];
    int count = 0;
    double target = 0;
    for (int member : order) {
      Slot slot = slots.get(member);
      target += size * (slot.weight() / total);
      String prefix = slot.key() + "_";
      for (long i = 0; count < target && count < entries.length; i++) {
        byte[] text = (prefix + i).getBytes(StandardCharsets.UTF_8);
        entries[count++] = new Entry(Xxh64.hash(text), member);
      }
    }
    Entry[] sorted = Arrays.copyOf(entries, count);
    Arrays.sort(sorted, (a, b) -> Long.compareUnsigned(a.hash(), b.hash()));
    return new Ring(
        Arrays.stream(sorted).mapToLong(Entry::hash).toArray(),
        Arrays.stream(sorted).mapToInt(Entry::member).toArray());
  }

  int size() {
    return hashes.length;
  }

  /** The place of the first entry not below {@code hash}; beyond the last it is the first. */
  int placeOf(long hash) {
    int low = 0;
    int high = hashes.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(hashes[middle], hash) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == hashes.length ? 0 : low;
  }

  /** Which slot the entry at {@code place} leads to. */
  int memberAt(int place) {
    return members[place];
  }

  /** The place behind {@code place}; behind the last it is the first. */
  int next(int place) {
    return place + 1 == members.length ? 0 : place + 1;
  }

  /** The share of all hashes that fall to the entry at {@code place}. */
  double share(int place) {
    if (hashes.length == 1) {
      return 1;
    }
    long arc = hashes[place] - hashes[place == 0 ? hashes.length - 1 : place - 1]; // wraps
    return (arc >>> 1) * 0x1p-63;
  }
}
