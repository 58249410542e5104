package io.outrigger.identity.certificate;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * One element of a DER document (X.690); supports only the encodings that private keys and signing
 * requests need.
 *
 * @param tag the identifier octet; tags of several octets are not supported
 */
@SuppressWarnings("ArrayRecordComponent") // elements are never compared
record Der(int tag, byte[] content) {
  static final int BOOLEAN = 0x01;
  static final int INTEGER = 0x02;
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int OBJECT_IDENTIFIER = 0x06;
  static final int SEQUENCE = 0x30;
  static final int SET = 0x31;

  /** The explicit tag [0], which encloses a constructed element. */
  static final int CONTEXT_0 = 0xA0;

  /** The implicit tag [6] of a URI among the names of a certificate (RFC 5280, GeneralName). */
  static final int CONTEXT_URI = 0x86;

  private static final int LONG_FORM = 0x80;
  private static final int MAX_LENGTH_OCTETS = 4;

  static Der of(int tag, Der... parts) {
    var content = new ByteArrayOutputStream();
    for (Der part : parts) {
      content.writeBytes(part.bytes());
    }
    return new Der(tag, content.toByteArray());
  }

  static Der zero() {
    return new Der(INTEGER, new byte[1]);
  }

  static Der bits(byte[] bytes) {
    byte[] content = new byte[bytes.length + 1]; // the first byte, 0: no bit is unused
    System.arraycopy(bytes, 0, content, 1, bytes.length);
    return new Der(BIT_STRING, content);
  }

  static Der oid(String hex) {
    return new Der(OBJECT_IDENTIFIER, HexFormat.of().parseHex(hex));
  }

  /** Throws {@code IllegalArgumentException} unless the document is exactly one element. */
  static Der parse(byte[] document) {
    List<Der> all = elements(document);
    if (all.size() != 1) {
      throw new IllegalArgumentException("not one element but " + all.size());
    }
    return all.get(0);
  }

  /** Returns the elements inside this element; fails unless its tag equals the expected tag. */
  List<Der> within(int expected) {
    if (tag != expected) {
      throw new IllegalArgumentException("tag " + tag + " instead of " + expected);
    }
    return elements(content);
  }

  private static List<Der> elements(byte[] in) {
    List<Der> elements = new ArrayList<>();
    int at = 0;
    while (at < in.length) {
      int tag = in[at++] & 0xFF;
      int length = at < in.length ? in[at++] & 0xFF : -1;
      if (length > LONG_FORM && length <= LONG_FORM + MAX_LENGTH_OCTETS) {
        int octets = length - LONG_FORM;
        length = 0;
        for (int i = 0; i < octets; i++) {
          length = at < in.length ? length << 8 | (in[at++] & 0xFF) : -1;
        }
      } else if (length >= LONG_FORM) {
        length = -1;
      }
      if (length < 0 || length > in.length - at) {
        throw new IllegalArgumentException("an element is longer than what holds it");
      }
      elements.add(new Der(tag, Arrays.copyOfRange(in, at, at + length)));
      at += length;
    }
    return elements;
  }

  byte[] bytes() {
    int length = content.length;
    int octets = // beyond the first octet of the length, without leading zeros
        length < LONG_FORM ? 0 : (Integer.SIZE - Integer.numberOfLeadingZeros(length) + 7) / 8;
    ByteBuffer all =
        ByteBuffer.allocate(2 + octets + length)
            .put((byte) tag)
            .put((byte) (octets == 0 ? length : LONG_FORM + octets));
    for (int i = octets - 1; i >= 0; i--) {
      all.put((byte) (length >> (i * Byte.SIZE)));
    }
    return all.put(content).array();
  }
}
