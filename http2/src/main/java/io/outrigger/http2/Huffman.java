package io.outrigger.http2;

import java.util.Arrays;

/**
 * Decodes HPACK's Huffman code (RFC 7541 section 5.2, appendix B).
 *
 * <p>The code is canonical: codes of the same length are consecutive numbers, in the order of their
 * symbols. If codes are left-aligned, the codes of each length begin where the shorter codes end.
 * The lengths of the codes thus determine all codes. Codes of up to eight bits, which cover nearly
 * all text, are found by one lookup in a table. Codes of more than eight bits are found by
 * comparison with the first code of each length. Codes are stored left-aligned in 32 bits.
 */
final class Huffman {
  private static final int END_OF_STRING = 256;
  private static final int MIN_BITS = 5;
  private static final int MAX_BITS = 30;
  private static final int SHORT_BITS = 8;

  /** The number of bits of each symbol's code (RFC 7541 appendix B). */
  private static final byte[] BITS = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
  };

  /** The symbols in the order of their codes. */
  private static final short[] SYMBOLS = new short[BITS.length];

  /** The first code of each length; the entry after the last length is 2^32. */
  private static final long[] FIRST_CODE = new long[MAX_BITS + 2];

  /** For each code length, the index in {@link #SYMBOLS} of the first symbol with this length. */
  private static final int[] FIRST_INDEX = new int[MAX_BITS + 2];

  /** Maps eight bits to the length and symbol of their first code; 0 if the code is longer. */
  private static final short[] SHORT = new short[1 << SHORT_BITS];

  static {
    int index = 0;
    long code = 0;
    for (int bits = 1; bits <= MAX_BITS; bits++) {
      FIRST_CODE[bits] = code;
      FIRST_INDEX[bits] = index;
      for (int symbol = 0; symbol < BITS.length; symbol++) {
        if (BITS[symbol] == bits) {
          SYMBOLS[index++] = (short) symbol;
          if (bits <= SHORT_BITS) {
            int from = (int) (code >>> (Integer.SIZE - SHORT_BITS));
            int to = from + (1 << (SHORT_BITS - bits));
            Arrays.fill(SHORT, from, to, (short) (bits << SHORT_BITS | symbol));
          }
          code += 1L << (Integer.SIZE - bits);
        }
      }
    }
    FIRST_CODE[MAX_BITS + 1] = code;
  }

  private Huffman() {}

  /** Initializes this class and its tables, unless they are initialized already. */
  static void prepare() {}

  /** The maximum length of a decoded string, given the length of its Huffman code. */
  static int maxDecoded(int bytes) {
    return (int) (bytes * 8L / MIN_BITS);
  }

  /**
   * @param out an array of at least {@link #maxDecoded} bytes
   * @return the number of decoded bytes, or -1 when the code is invalid
   */
  static int decode(byte[] in, int from, int to, byte[] out) {
    long bits = 0;
    int count = 0; // the number of bits in "bits" that were not decoded yet
    int at = from;
    int length = 0;
    while (true) {
      while (count <= Integer.SIZE && at < to) {
        bits = bits << Byte.SIZE | (in[at++] & 0xff);
        count += Byte.SIZE;
      }
      int next =
          count >= Integer.SIZE ? (int) (bits >>> (count - Integer.SIZE)) : last(bits, count);
      int found = SHORT[next >>> (Integer.SIZE - SHORT_BITS)];
      int taken = found >> SHORT_BITS;
      int symbol = found & 0xff;
      if (found == 0) {
        taken = bitsOf(next & 0xffff_ffffL);
        symbol = SYMBOLS[indexOf(next & 0xffff_ffffL, taken)];
      }
      if (taken > count) {
        return count < Byte.SIZE && isPadding(bits, count) ? length : -1;
      }
      if (symbol == END_OF_STRING) {
        return -1;
      }
      out[length++] = (byte) symbol;
      count -= taken;
    }
  }

  /** Returns the given number of lowest bits (at most 31), left-aligned and padded with ones. */
  private static int last(long bits, int count) {
    int fill = Integer.SIZE - count;
    return (int) (bits << fill | ((1L << fill) - 1));
  }

  /**
   * RFC 7541 section 5.2: whether the given number of lowest bits are valid padding. Padding is the
   * beginning of the end-of-string code, in which all bits are 1.
   */
  private static boolean isPadding(long bits, int count) {
    long mask = (1L << count) - 1;
    return (bits & mask) == mask;
  }

  private static int bitsOf(long code) {
    int bits = SHORT_BITS + 1;
    while (code >= FIRST_CODE[bits + 1]) { // ends: the last entry is above every code
      bits++;
    }
    return bits;
  }

  private static int indexOf(long code, int bits) {
    return FIRST_INDEX[bits] + (int) ((code - FIRST_CODE[bits]) >>> (Integer.SIZE - bits));
  }
}
