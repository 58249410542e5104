package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Arrays;

/**
 * An endpoint as rings take it: by its key, of which the hashes are kept for all rings that it will
 * be on; what else there is to it is that of the next ring.
 */
@ControlConfined
final class Slot implements Comparable<Slot> {
  static final int NO_NUMBER = -1;

  private final String key;
  private final String address;

  /** Of {@code key_0} (A42): most often the only one, so it is not far away. */
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
   * @param address tells apart those whose key is the same
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

  /** How the ring calls its endpoint. */
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

  /** Whether entries of {@code other} stand where those of this one do. */
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

  /** Where its entry of this number is, from 0 on. */
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

  /** By key; it does not matter where, if only everybody has them in the same order. */
  @Override
  public int compareTo(Slot other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : address.compareTo(other.address);
  }
}
