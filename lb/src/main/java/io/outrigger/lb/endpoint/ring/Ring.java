package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A hash ring: hashes in ascending order, each of which belongs to one endpoint (A42 "Ring
 * Construction"). Equal keys, weights and sizes give an equal ring in every process, whatever the
 * order of the endpoints.
 */
@AnyThread
final class Ring {
  /** The maximum size of a ring, whatever size the control plane configures (A42). */
  static final long MAX_SIZE = 4096;

  /** The hashes, in ascending order as unsigned numbers. */
  final long[] hashes;

  /** Contains, for each of {@link #hashes}, the number of the {@link Slot} that owns the hash. */
  private final int[] slotOf;

  private Ring(long[] hashes, int[] slotOf) {
    this.hashes = hashes;
    this.slotOf = slotOf;
  }

  /**
   * Builds a ring from at least one {@link Slot}. The size is {@code minSize} or, if the endpoint
   * with the smallest share would not get a whole number of entries, a larger number, limited by
   * {@code maxSize} and {@link #MAX_SIZE}. If the shares do not add up to a whole number of
   * entries, the ring gets one entry more, because gRPC also rounds the last slot up.
   *
   * @param slots the slots in the order of their keys; a slot's number is its list index
   * @param weights one weight per slot; a slot's share is its weight divided by the sum of all
   */
  static Ring of(List<Slot> slots, long[] weights, long minSize, long maxSize) {
    double total = LongStream.of(weights).sum();
    double leastShare = LongStream.of(weights).min().orElseThrow() / total;
    double size =
        Math.min(
            Math.ceil(leastShare * Math.min(minSize, MAX_SIZE)) / leastShare,
            Math.min(maxSize, MAX_SIZE));
    List<Entry> entries = new ArrayList<>();
    double target = 0;
    for (int slot = 0; slot < weights.length; slot++) {
      target += size * (weights[slot] / total);
      for (int i = 0; entries.size() < target; i++) {
        entries.add(new Entry(slots.get(slot).hash(i), slot));
      }
    }
    entries.sort((one, other) -> Long.compareUnsigned(one.hash, other.hash));
    long[] hashes = new long[entries.size()];
    int[] slotOf = new int[entries.size()];
    for (int i = 0; i < hashes.length; i++) { // runs for each entry, so no stream
      hashes[i] = entries.get(i).hash;
      slotOf[i] = entries.get(i).slot;
    }
    return new Ring(hashes, slotOf);
  }

  private record Entry(long hash, int slot) {}

  int size() {
    return hashes.length;
  }

  /**
   * Returns the index of the first entry whose hash is at least the given hash; 0 if all hashes are
   * smaller.
   */
  int indexOf(long hash) {
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

  int slotAt(int index) {
    return slotOf[index];
  }

  int next(int index) {
    return index + 1 == slotOf.length ? 0 : index + 1;
  }

  /** Returns the fraction of all hashes for which {@link #indexOf} returns a given index. */
  double share(int index) {
    if (hashes.length == 1) {
      return 1;
    }
    long arc = hashes[index] - hashes[index == 0 ? hashes.length - 1 : index - 1]; // mod 2^64
    return (arc >>> 1) * 0x1p-63;
  }

  /**
   * An endpoint in the form from which rings are built. Slots are ordered by key, because the order
   * affects how shares are rounded, and all processes must build equal rings.
   *
   * @param key the text whose hashes determine the entries of the endpoint
   * @param address distinguishes slots with the same key
   */
  record Slot(String key, String address) {
    static final Comparator<Slot> ORDER =
        Comparator.comparing(Slot::key).thenComparing(Slot::address);

    /**
     * Creates the slot of a backend. As A76 requires, the key is the endpoint's hash key or, if the
     * hash key is empty, the endpoint's first address.
     */
    static Slot of(Backend backend) {
      var endpoint = backend.endpoint();
      String address = endpoint.address().toString();
      return new Slot(endpoint.hashKey().isEmpty() ? address : endpoint.hashKey(), address);
    }

    /** Returns the hash of one of the slot's entries, which are numbered from 0 (A42). */
    long hash(int entry) {
      return Xxh64.hash(key + "_" + entry);
    }
  }
}
