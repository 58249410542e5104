package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Arrays;

/**
 * The place of an endpoint on rings: its key, whose hashes are kept from ring to ring, and its
 * number and weight on the next ring.
 */
@ControlConfined
final class Slot implements Comparable<Slot> {
  static final int NO_NUMBER = -1;

  private final String key;
  private final String address;

  /** The hash of {@code key_0} (A42): mostly the only one, so it has a field of its own. */
  private final long first;

  /** Of {@code key_1}, {@code key_2} and so on, as many as a ring ever had. */
  private long[] further = new long[0];

  private int number = NO_NUMBER;
  private WeightClass weight;
  private boolean left;

  /**
   * A slot without a number.
   *
   * @param key what is hashed to place it
   * @param address distinguishes slots of the same key
   */
  Slot(String key, String address, WeightClass weight) {
    this.key = key;
    this.address = address;
    this.weight = weight;
    this.first = Xxh64.hash(key + "_0");
  }

  /** A76: the key of an endpoint is its own, or else its first address. */
  static Slot of(Backend backend, WeightClass weight) {
    var endpoint = backend.endpoint();
    String address = endpoint.address().toString();
    return new Slot(endpoint.hashKey().isEmpty() ? address : endpoint.hashKey(), address, weight);
  }

  String key() {
    return key;
  }

  /** The number of its endpoint on the ring. */
  int number() {
    return number;
  }

  void number(int next) {
    number = next;
  }

  WeightClass weight() {
    return weight;
  }

  void weight(WeightClass next) {
    weight = next;
  }

  /** Whether the entries of {@code other} have the same places as those of this one. */
  boolean isWhere(Slot other) {
    return compareTo(other) == 0;
  }

  /** The next ring is without it. */
  void leave() {
    left = true;
  }

  boolean hasLeft() {
    return left;
  }

  /** The place of its entry of this number, from 0 on. */
  long hash(int entry) {
    if (entry == 0) {
      return first;
    }
    if (entry > further.length) {
      int known = further.length;
      further = Arrays.copyOf(further, Math.max(entry, known + known / 2));
      for (int i = known; i < further.length; i++) {
        further[i] = Xxh64.hash(key + "_" + (i + 1));
      }
    }
    return further[entry - 1];
  }

  /** By key. Any order will do that is the same in all processes. */
  @Override
  public int compareTo(Slot other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : address.compareTo(other.address);
  }
}
