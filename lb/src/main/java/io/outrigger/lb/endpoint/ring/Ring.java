package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.AnyThread;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Hashes in ascending order, each with the endpoint to which it leads (A42 "Ring Construction").
 * Equal keys, weights and sizes give an equal ring in every process, whatever the order of the
 * endpoints.
 */
@AnyThread
final class Ring {
  /** The maximum size of a ring, whatever size the control plane configures (A42). */
  static final long CAP = 4096;

  /** The hashes, in ascending order as unsigned numbers. */
  final long[] hashes;

  /** The number of the slot to which the hash with the same index leads. */
  private final int[] members;

  private Ring(long[] hashes, int[] members) {
    this.hashes = hashes;
    this.members = members;
  }

  /**
   * Builds the ring of {@code slots}, of which there must be at least one. The lightest slot gets a
   * whole number of entries, chosen so that the ring has {@code minSize} entries or a few more,
   * unless {@code maxSize} or {@link #CAP} is smaller. The ring gets one entry more where the
   * shares do not add up to a whole number: gRPC rounds the last slot up too, so a ring with one
   * entry less would differ from gRPC's ring.
   *
   * @param slots the slots in the order of their keys; a slot's number is its index
   * @param shares the share of each slot, in proportion to the other shares
   */
  static Ring of(List<Slot> slots, long[] shares, long minSize, long maxSize) {
    double total = LongStream.of(shares).sum();
    double leastShare = LongStream.of(shares).min().orElseThrow() / total;
    double size =
        Math.min(
            Math.ceil(leastShare * Math.min(minSize, CAP)) / leastShare, Math.min(maxSize, CAP));
    List<Entry> entries = new ArrayList<>();
    double target = 0;
    for (int member = 0; member < shares.length; member++) {
      target += size * (shares[member] / total);
      for (int i = 0; entries.size() < target; i++) {
        entries.add(new Entry(slots.get(member).hash(i), member));
      }
    }
    entries.sort((one, other) -> Long.compareUnsigned(one.hash, other.hash));
    return new Ring(
        entries.stream().mapToLong(Entry::hash).toArray(),
        entries.stream().mapToInt(Entry::member).toArray());
  }

  private record Entry(long hash, int member) {}

  int size() {
    return hashes.length;
  }

  /**
   * Returns the index of the first entry with a hash of at least {@code hash}; after the last entry
   * the ring wraps to index 0.
   */
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

  /** Returns the number of the slot to which the entry at {@code place} leads. */
  int memberAt(int place) {
    return members[place];
  }

  /** Returns the index after {@code place}; after the last entry the ring wraps to index 0. */
  int next(int place) {
    return place + 1 == members.length ? 0 : place + 1;
  }

  /** Returns the fraction of all hashes that fall to the entry at {@code place}. */
  double share(int place) {
    if (hashes.length == 1) {
      return 1;
    }
    long arc = hashes[place] - hashes[place == 0 ? hashes.length - 1 : place - 1]; // wraps
    return (arc >>> 1) * 0x1p-63;
  }

  /**
   * The position of an endpoint on rings. The order of slots is that of their keys: rounding
   * depends on it, so it must be the same in all processes.
   *
   * @param key the text that is hashed to position the endpoint
   * @param address distinguishes slots with the same key
   */
  record Slot(String key, String address) implements Comparable<Slot> {
    private static final Comparator<Slot> ORDER =
        Comparator.comparing(Slot::key).thenComparing(Slot::address);

    /**
     * Creates the slot of {@code backend}, keyed as A76 requires: by the endpoint's own hash key,
     * or else by its first address.
     */
    static Slot of(Backend backend) {
      var endpoint = backend.endpoint();
      String address = endpoint.address().toString();
      return new Slot(endpoint.hashKey().isEmpty() ? address : endpoint.hashKey(), address);
    }

    /** Returns the hash of the slot's entry with the number {@code entry}, counted from 0 (A42). */
    long hash(int entry) {
      return Xxh64.hash(key + "_" + entry);
    }

    @Override
    public int compareTo(Slot other) {
      return ORDER.compare(this, other);
    }
  }
}
