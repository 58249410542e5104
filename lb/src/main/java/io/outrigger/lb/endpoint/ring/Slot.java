package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Xxh64;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Backend;
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

  /** Of {@code key_0}, {@code key_1} and so on (A42), as many as a ring ever had. */
  private long[] hashes = new long[0];

  private int number = NO_NUMBER;
  private Locality locality;
  private long weight;
  private boolean left;

  /**
   * A slot without a number.
   *
   * @param key what is hashed to place it
   * @param address tells apart those whose key is the same
   * @param weight among the endpoints of its locality
   */
  Slot(String key, String address, Locality locality, long weight) {
    this.key = key;
    this.address = address;
    this.locality = locality;
    this.weight = weight;
  }

  /** A76: the key is the endpoint's own, or else its first address. */
  static Slot of(Backend backend) {
    var endpoint = backend.endpoint();
    String address = endpoint.address().toString();
    String key = endpoint.hashKey().isEmpty() ? address : endpoint.hashKey();
    return new Slot(key, address, backend.locality(), endpoint.weight());
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

  Locality locality() {
    return locality;
  }

  long weight() {
    return weight;
  }

  /** Whether entries of {@code other} stand where those of this one do. */
  boolean isWhere(Slot other) {
    return compareTo(other) == 0;
  }

  /** Takes on what {@code other} weighs, and in which locality. False when that is as it was. */
  boolean weigh(Slot other) {
    boolean changes = weight != other.weight || !locality.equals(other.locality);
    weight = other.weight;
    locality = other.locality;
    return changes;
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
    if (entry >= hashes.length) {
      int known = hashes.length;
      hashes = Arrays.copyOf(hashes, Math.max(entry + 1, known + known / 2));
      for (int i = known; i < hashes.length; i++) {
        hashes[i] = Xxh64.hash(key + "_" + i);
      }
    }
    return hashes[entry];
  }

  /** By key; it does not matter where, if only everybody has them in the same order. */
  @Override
  public int compareTo(Slot other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : address.compareTo(other.address);
  }
}
