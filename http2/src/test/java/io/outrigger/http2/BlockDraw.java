package io.outrigger.http2;

import io.netty.handler.codec.http2.Http2Exception;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Generates random header blocks with all representations of HPACK (RFC 7541 section 6); few blocks
 * are invalid.
 */
final class BlockDraw {
  private static final int INDEXED = 0x80;
  private static final int REMEMBERED = 0x40;
  private static final int TABLE_SIZE = 0x20;
  private static final int NEVER_INDEXED = 0x10;

  private static final int NEWEST = StaticTable.SIZE + 1;

  private final ScriptDraw.Source source;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private BlockDraw(ScriptDraw.Source source) {
    this.source = source;
  }

  /** A block of {@code fields}, given as names and values, and sometimes of fields from a table. */
  static byte[] draw(ScriptDraw.Source source, String... fields) {
    return new BlockDraw(source).block(fields);
  }

  private byte[] block(String... fields) {
    for (int i = oneIn(5) ? 1 + source.below(2) : 0; i > 0; i--) {
      integer(TABLE_SIZE, 5, oneIn(4) ? source.below(6000) : source.below(200));
    }
    indexed();
    for (int i = 0; i < fields.length; i += 2) {
      field(fields[i], fields[i + 1]);
    }
    indexed();
    return out.toByteArray();
  }

  /** Up to two fields of the tables, mostly recent ones. */
  private void indexed() {
    for (int i = oneIn(6) ? 1 + source.below(2) : 0; i > 0; i--) {
      integer(INDEXED, 7, oneIn(6) ? source.below(80) : NEWEST + source.below(4));
    }
  }

  private void field(String name, String value) {
    int inTable = StaticTable.firstIndexOf(name);
    int index = inTable == 0 || oneIn(3) ? 0 : inTable;
    switch (source.below(4)) {
      case 0, 1 -> integer(REMEMBERED, 6, index);
      case 2 -> integer(NEVER_INDEXED, 4, index);
      default -> integer(0, 4, index);
    }
    if (index == 0) {
      string(name);
    }
    string(value);
  }

  private void string(String text) {
    if (oneIn(2)) {
      try {
        out.writeBytes(NettyHpack.literal(text));
      } catch (Http2Exception e) {
        throw new AssertionError(e);
      }
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    integer(0, 7, bytes.length);
    out.writeBytes(bytes);
  }

  private void integer(int pattern, int prefix, int value) {
    var integer = new HpackOutput();
    integer.integer(pattern, prefix, value);
    out.write(integer.bytes(), 0, integer.length());
  }

  private boolean oneIn(int n) {
    return source.below(n) == 0;
  }
}
