package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;

/**
 * A pool of arrays on one event loop for copies of small requests. Nearly every call takes an array
 * until its backend answers. The array that was returned last is taken first, since it is still in
 * the CPU cache.
 */
@LoopConfined
final class SmallCopies {
  /** The size of an array; the messages of most unary calls fit. */
  static final int BYTES = 512;

  /**
   * The maximum number of pooled arrays: 128 KiB per loop. Further arrays are left to the garbage
   * collector.
   */
  private static final int MAX_FREE = 256;

  private final ArrayDeque<byte[]> free = new ArrayDeque<>();

  /** Takes an array of {@link #BYTES} bytes with arbitrary content. */
  byte[] take() {
    byte[] known = free.pollLast();
    return known == null ? new byte[BYTES] : known;
  }

  /** Returns an array to the pool; the caller must not use the array any more. */
  void giveBack(byte[] array) {
    if (free.size() < MAX_FREE) {
      free.addLast(array);
    }
  }
}
