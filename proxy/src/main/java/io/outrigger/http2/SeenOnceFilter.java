package io.outrigger.http2;

import io.outrigger.base.LoopConfined;

/**
 * Hashes of what came lately, to tell what comes again from what is seen once.
 *
 * <p>Each hash belongs to a set of {@value #WAYS}, from which the oldest goes: as many of one
 * header list may meet in a set and still be known when they come again.
 */
@LoopConfined
final class SeenOnceFilter {
  private static final int WAYS = 8;

  private final int[] hashes;

  /**
   * @param remembered how many hashes, a power of two of at least {@value #WAYS}
   */
  SeenOnceFilter(int remembered) {
    hashes = new int[remembered];
  }

  /** Whether {@code hash} came before; it is remembered from now on. */
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
