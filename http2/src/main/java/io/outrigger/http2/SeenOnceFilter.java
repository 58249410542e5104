package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * Remembers the hashes of recent values, to distinguish values that recur from values that occur
 * only once.
 *
 * <p>The filter is set-associative: each hash belongs to a set of {@value #WAYS}, and a new hash
 * evicts the oldest of its set. Up to {@value #WAYS} fields of one header list may fall into the
 * same set and are still recognized when the list occurs again.
 */
@LoopConfined
final class SeenOnceFilter {
  private static final int WAYS = 8;

  private final int[] hashes;

  /**
   * @param remembered the number of hashes, a power of two of at least {@value #WAYS}
   */
  SeenOnceFilter(int remembered) {
    hashes = new int[remembered];
  }

  /** Returns whether {@code hash} was seen before, and remembers it. */
  boolean isKnown(int hash) {
    int set = hash & (hashes.length - WAYS);
    for (int i = 0; i < WAYS; i++) {
      if (hashes[set + i] == hash) {
        return true;
      }
    }
    System.arraycopy(hashes, set, hashes, set + 1, WAYS - 1);
    hashes[set] = hash;
    return false;
  }
}
