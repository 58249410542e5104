package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Arrays;

/**
 * The position of an endpoint on rings: its key, the hashes of the key, which are kept for later
 * rings, and its number and weight on the next ring.
 */
@ControlConfined
final class Slot implements Comparable<Slot> {
  static final int NO_NUMBER = -1;

  private final String key;
  private final String address;

  /** The hash of {@code key_0} (A42): most slots have only this hash, so it has its own field. */
  private final long first;

  /**
   * The hashes of {@code key_1}, {@code key_2} and so on, as many as the largest ring so far
   * needed.
   */
  private long[] further = new long[0];

  private int number = NO_NUMBER;
  private WeightClass weight;
  private boolean left;

  /**
   * Creates a slot without a number.
   *
   * @param key the text that is hashed to position the endpoint
   * @param address distinguishes slots with the same key
   */
  Slot(String key, String address, WeightClass weight) {
    this.key = key;
    this.address = address;
    this.weight = weight;
    this.first = Xxh64.hash(key + "_0");
  }

  /**
   * Creates the slot of {@code backend}, keyed as A76 requires: by the endpoint's own hash key, or
   * else by its first address.
   */
  static Slot of(Backend backend, WeightClass weight) {
    var endpoint = backend.endpoint();
    String address = endpoint.address().toString();
    return new Slot(endpoint.hashKey().isEmpty() ? address : endpoint.hashKey(), address, weight);
  }

  String key() {
    return key;
  }

  /** The number of the slot's endpoint on the ring. */
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

  /** Whether the entries of this slot and those of {@code other} have the same hashes. */
  boolean isWhere(Slot other) {
    return compareTo(other) == 0;
  }

  /** Marks this slot as removed from the next ring. */
  void leave() {
    left = true;
  }

  boolean hasLeft() {
    return left;
  }

  /** Returns the hash of the slot's entry with the number {@code entry}, counted from 0. */
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

  /**
   * Compares slots by key. The order itself does not matter, but it must be the same in all
   * processes.
   */
  @Override
  public int compareTo(Slot other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : address.compareTo(other.address);
  }
}
