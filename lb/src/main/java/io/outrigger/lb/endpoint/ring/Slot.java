package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.Xxh64;
import io.outrigger.lb.config.Backend;
import java.util.Comparator;

/**
 * The position of an endpoint on rings. The order of slots is that of their keys: rounding depends
 * on it, so it must be the same in all processes.
 *
 * @param key the text that is hashed to position the endpoint
 * @param address distinguishes slots with the same key
 */
record Slot(String key, String address) implements Comparable<Slot> {
  private static final Comparator<Slot> ORDER =
      Comparator.comparing(Slot::key).thenComparing(Slot::address);

  /**
   * Creates the slot of {@code backend}, keyed as A76 requires: by the endpoint's own hash key, or
   * else by its first address.
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
