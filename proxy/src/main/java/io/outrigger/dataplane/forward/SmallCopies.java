package io.outrigger.dataplane.forward;

import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;

/**
 * Arrays of one event loop for copies of small requests, used again and again. Nearly every call
 * takes one for as long as its backend thinks; the one given back last is taken next, since it is
 * still in the processor's cache.
 */
@LoopConfined
final class SmallCopies {
  /** A message of most unary calls fits. */
  static final int BYTES = 512;

  /** 128 KiB per loop; more calls than that at a time leave their arrays to the collector. */
  private static final int MAX_FREE = 256;

  private final ArrayDeque<byte[]> free = new ArrayDeque<>();

  /** {@link #BYTES} bytes with anything in them. */
  byte[] take() {
    byte[] known = free.pollLast();
    return known == null ? new byte[BYTES] : known;
  }

  /** Nobody reads {@code array} any more. */
  void giveBack(byte[] array) {
    if (free.size() < MAX_FREE) {
      free.addLast(array);
    }
  }
}
