package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.Arrays;

/** The header block that is being encoded, with the primitives of RFC 7541 section 5. */
@LoopConfined
final class HpackOutput {
  private static final int MAX_KEPT = 16 << 10;

  /** The maximum size of an encoded integer: one byte with the prefix and five more bytes. */
  private static final int INTEGER_BYTES = 6;

  private byte[] bytes = new byte[1024];
  private int length;

  /** An array whose first {@link #length} bytes are the block. */
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  void clear() {
    if (bytes.length > MAX_KEPT) {
      bytes = new byte[MAX_KEPT];
    }
    length = 0;
  }

  /**
   * RFC 7541 section 5.1: writes an integer into the last {@code prefixBits} bits of a byte, and
   * into more bytes if needed.
   */
  void integer(int pattern, int prefixBits, int value) {
    reserve(INTEGER_BYTES);
    int max = (1 << prefixBits) - 1;
    if (value < max) {
      bytes[length++] = (byte) (pattern | value);
      return;
    }
    bytes[length++] = (byte) (pattern | max);
    int remaining = value - max;
    while (remaining >= 0x80) {
      bytes[length++] = (byte) (remaining | 0x80);
      remaining >>>= 7;
    }
    bytes[length++] = (byte) remaining;
  }

  /** RFC 7541 section 5.2: writes a string. Huffman code would save few bytes for its CPU time. */
  void string(byte[] text) {
    integer(0, 7, text.length);
    bytes(text, 0, text.length);
  }

  void bytes(byte[] from, int at, int size) {
    reserve(size);
    System.arraycopy(from, at, bytes, length, size);
    length += size;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }
}
