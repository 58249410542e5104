package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Xxh64;
import java.util.Arrays;

/**
 * An endpoint as rings take it: by its key, which is hashed once for all rings that it is on, and
 * by its number and weight, which are those of the next one.
 */
@ControlConfined
final class Slot implements Comparable<Slot> {
  private static final int NO_MEMBER = -1;

  private final String key;
  private final String address;

  /** Of {@code key_0}, {@code key_1} and so on (A42), as many as a ring ever had. */
  private long[] hashes = new long[0];

  private int member = NO_MEMBER;
  private long weight;
  private boolean left;

  /**
   * A slot without a number.
   *
   * @param key what is hashed to place it
   * @param address tells apart those whose key is the same
   */
  Slot(String key, String address) {
    this.key = key;
    this.address = address;
  }

  boolean isOf(String itsKey, String itsAddress) {
    return key.equals(itsKey) && address.equals(itsAddress);
  }

  String key() {
    return key;
  }

  int member() {
    return member;
  }

  /** Its share of the ring in proportion to others; positive. */
  long weight() {
    return weight;
  }

  /** Takes what the next ring is to make of it; false when that is as it was. */
  boolean take(int nextMember, long nextWeight) {
    boolean changes = member != nextMember || weight != nextWeight;
    member = nextMember;
    weight = nextWeight;
    return changes;
  }

  /** The next ring is without it. */
  void leave() {
    left = true;
  }

  boolean hasLeft() {
    return left;
  }

  /** Where its entry of this number is, from 0 on; without holes, as a ring asks for them. */
  long hash(int entry) {
    if (entry >= hashes.length) {
      int known = hashes.length;
      hashes = Arrays.copyOf(hashes, Math.max(entry + 1, known + (known >> 1)));
      for (int i = known; i < hashes.length; i++) {
        hashes[i] = Xxh64.hash(key + "_" + i);
      }
    }
    return hashes[entry];
  }

  /** In the order of their keys, whatever they are. */
  @Override
  public int compareTo(Slot other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : address.compareTo(other.address);
  }
}
