package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.Arrays;

/** A header block under construction: the primitives of RFC 7541 section 5. */
@LoopConfined
final class HpackOutput {
  private static final int MAX_KEPT = 16 << 10;

  /** An integer takes at most its prefix and five bytes. */
  private static final int INTEGER_BYTES = 6;

  private byte[] bytes = new byte[1024];
  private int length;

  /** The block's bytes, the first {@link #length} of it. */
  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** Begins a block. */
  void clear() {
    if (bytes.length > MAX_KEPT) {
      bytes = new byte[MAX_KEPT];
    }
    length = 0;
  }

  /** Section 5.1: {@code value} in the last {@code prefixBits} of a byte, and more as needed. */
  void integer(int pattern, int prefixBits, int value) {
    reserve(INTEGER_BYTES);
    int most = (1 << prefixBits) - 1;
    if (value < most) {
      bytes[length++] = (byte) (pattern | value);
      return;
    }
    bytes[length++] = (byte) (pattern | most);
    int rest = value - most;
    while (rest >= 0x80) {
      bytes[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
  }

  /** Section 5.2, never in Huffman code: it costs more time than its bytes do. */
  void string(byte[] text) {
    integer(0, 7, text.length);
    bytes(text, 0, text.length);
  }

  /** Bytes as they are. */
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
