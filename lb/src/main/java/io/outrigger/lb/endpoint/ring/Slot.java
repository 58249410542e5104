package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Arrays;

/** The position of an endpoint on rings: its key, and the key's hashes, kept for later rings. */
@ControlConfined
final class Slot implements Comparable<Slot> {
  private final String key;
  private final String address;

  /** The hash of {@code key_0} (A42): most slots have only this hash, so it has its own field. */
  private final long first;

  /**
   * The hashes of {@code key_1}, {@code key_2} and so on, as many as the largest ring so far
   * needed.
   */
  private long[] further = new long[0];

  /**
   * @param key the text that is hashed to position the endpoint
   * @param address distinguishes slots with the same key
   */
  Slot(String key, String address) {
    this.key = key;
    this.address = address;
    this.first = Xxh64.hash(key + "_0");
  }

  /**
   * Creates the slot of {@code backend}, keyed as A76 requires: by the endpoint's own hash key, or
   * else by its first address.
   */
  static Slot of(Backend backend) {
    var endpoint = backend.endpoint();
    String address = endpoint.address().toString();
    return new Slot(endpoint.hashKey().isEmpty() ? address : endpoint.hashKey(), address);
  }

  String key() {
    return key;
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
   * Compares slots by key. Rounding depends on the order, so it must be the same in all processes.
   */
  @Override
  public int compareTo(Slot other) {
    int byKey = key.compareTo(other.key);
    return byKey != 0 ? byKey : address.compareTo(other.address);
  }
}
