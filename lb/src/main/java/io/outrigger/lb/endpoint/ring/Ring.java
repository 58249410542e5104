package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.AnyThread;
import java.util.Collection;
import java.util.List;

/**
 * Hashes in order, each with the endpoint it leads to (A42 "Ring Construction"). Equal keys,
 * weights and sizes give an equal ring in every process, in whatever order the endpoints came.
 */
@AnyThread
final class Ring {
  /** The largest ring, whatever size a control plane asks for (A42). */
  static final long CAP = 4096;

  /** Ascending as unsigned numbers. */
  private final long[] hashes;

  /** The number of the endpoint to which the hash of the same place leads. */
  private final int[] members;

  private Ring(long[] hashes, int[] members) {
    this.hashes = hashes;
    this.members = members;
  }

  /**
   * The ring of {@code slots}, of which there is at least one. The lightest gets a whole number of
   * entries, such that there are {@code minSize} or a few more in all, unless {@code maxSize} or
   * {@link #CAP} is less. That many, or one more where the shares do not add up to a whole: gRPC
   * lets the last slot round up too, and an entry less would be another ring than its.
   *
   * @param slots in the order of their keys
   * @param classes those of the slots
   */
  static Ring of(List<Slot> slots, Collection<WeightClass> classes, long minSize, long maxSize) {
    double total = 0;
    double least = Double.MAX_VALUE;
    for (WeightClass weight : classes) {
      total += (double) weight.share() * weight.size(); // whole numbers: no order rounds
      least = Math.min(least, weight.share());
    }
    double leastShare = least / total;
    double size =
        Math.min(
            Math.ceil(leastShare * Math.min(minSize, CAP)) / leastShare, Math.min(maxSize, CAP));
    for (WeightClass weight : classes) {
      weight.entries(size * (weight.share() / total));
    }
    long[] hashes = new long[(int) Math.ceil(size) + 1];
    int[] members = new int[hashes.length];
    int count = 0;
    double target = 0;
    for (Slot slot : slots) {
      target += slot.weight().entries();
      for (int i = 0; count < target; i++) {
        hashes[count] = slot.hash(i);
        members[count++] = slot.number();
      }
    }
    return sorted(hashes, members, count);
  }

  /**
   * The first {@code count} entries in order. Hashes are spread evenly: after a sort by as many of
   * their highest bits as distinguish so many, few are out of order.
   */
  private static Ring sorted(long[] hashes, int[] members, int count) {
    int shift = Long.numberOfLeadingZeros(count);
    int[] starts = new int[(int) (-1L >>> shift) + 2];
    for (int i = 0; i < count; i++) {
      starts[(int) (hashes[i] >>> shift) + 1]++;
    }
    for (int i = 1; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
    long[] sortedHashes = new long[count];
    int[] sortedMembers = new int[count];
    for (int i = 0; i < count; i++) {
      int place = starts[(int) (hashes[i] >>> shift)]++;
      sortedHashes[place] = hashes[i];
      sortedMembers[place] = members[i];
    }
    for (int i = 1; i < count; i++) {
      long hash = sortedHashes[i];
      int member = sortedMembers[i];
      int place = i;
      for (; place > 0 && Long.compareUnsigned(sortedHashes[place - 1], hash) > 0; place--) {
        sortedHashes[place] = sortedHashes[place - 1];
        sortedMembers[place] = sortedMembers[place - 1];
      }
      sortedHashes[place] = hash;
      sortedMembers[place] = member;
    }
    return new Ring(sortedHashes, sortedMembers);
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

  /** Up to which hash, as an unsigned number, the entry at {@code place} is the next one. */
  long hashAt(int place) {
    return hashes[place];
  }

  /** The number of the slot that the entry at {@code place} leads to. */
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
