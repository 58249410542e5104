package io.outrigger.abuse;

import io.outrigger.http2.testing.Frames;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Header blocks that cost more than they weigh, and frames of them. */
final class HeaderBlocks {
  private static final int FRAME_BYTES = 16_384;

  /** As many octets in Huffman code are eight characters of the ten shortest codes. */
  private static final int GROUP_BYTES = 5;

  private static final int BASE = 10;

  private HeaderBlocks() {}

  /** {@code block} as HEADERS and CONTINUATION frames, the last of which ends it. */
  static byte[] frames(int id, int flags, byte[] block) {
    return frames(id, flags, block, Frames.END_HEADERS);
  }

  /** The same without an end. */
  static byte[] openFrames(int id, int flags, byte[] block) {
    return frames(id, flags, block, 0);
  }

  private static byte[] frames(int id, int flags, byte[] block, int lastFlag) {
    var out = new ByteArrayOutputStream();
    for (int at = 0; at < block.length; at += FRAME_BYTES) {
      byte[] part = Arrays.copyOfRange(block, at, Math.min(block.length, at + FRAME_BYTES));
      int last = at + FRAME_BYTES >= block.length ? lastFlag : 0;
      out.writeBytes(
          at == 0
              ? Frames.frame(Frames.HEADERS, flags | last, id, part)
              : Frames.frame(Frames.CONTINUATION, last, id, part));
    }
    return out.toByteArray();
  }

  /** A field with a name of {@code length} octets that says {@code number}, not indexed. */
  static byte[] longName(int number, int length) {
    String digits = "n" + number;
    return Frames.block(digits + "x".repeat(length - digits.length()), "v");
  }

  /**
   * The same with a name in Huffman code.
   *
   * @param encodedBytes what it takes on the wire; eight fifths of it when it is decoded
   */
  static byte[] longHuffmanName(int number, int encodedBytes) {
    int groups = encodedBytes / GROUP_BYTES;
    byte[] name = new byte[groups * GROUP_BYTES];
    int rest = number;
    for (int i = 0; i < groups; i++) {
      long bits = 0;
      for (int letter = 0; letter < 8; letter++) {
        int code = i == 0 ? rest % BASE : 3; // 3 is the letter a; 0 to 9 are: 0 1 2 a c e i o s t
        rest = i == 0 ? rest / BASE : rest;
        bits = (bits << 5) | code;
      }
      for (int octet = 0; octet < GROUP_BYTES; octet++) {
        name[i * GROUP_BYTES + octet] = (byte) (bits >> (8 * (GROUP_BYTES - 1 - octet)));
      }
    }
    var out = new ByteArrayOutputStream();
    out.write(0);
    length(out, name.length);
    out.writeBytes(name);
    out.write(1);
    out.write('v');
    return out.toByteArray();
  }

  /** A string length with the bit that says Huffman code. */
  private static void length(ByteArrayOutputStream out, int length) {
    out.write(0xff);
    int rest = length - 127;
    while (rest >= 128) {
      out.write((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    out.write(rest);
  }

  /**
   * {@code count} fields of one octet's name and value each, five octets on the wire. They are not
   * to be indexed, so that none is an object that was made before.
   */
  static byte[] tinyFields(int count) {
    byte[] block = new byte[5 * count];
    for (int i = 0; i < block.length; i += 5) {
      block[i] = 0x10;
      block[i + 1] = 1;
      block[i + 2] = (byte) ('a' + i / 5 % 26);
      block[i + 3] = 1;
      block[i + 4] = 'v';
    }
    return block;
  }
}
