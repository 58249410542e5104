package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Turns header blocks into header lists (RFC 7541). A field that comes out of a table is the object
 * that went in: it is neither copied nor checked again.
 *
 * <p>Says nothing about what the fields may be: see {@link HeaderRules}.
 */
@LoopConfined
final class HpackDecoder {
  /** Section 5.1: no integer of ours is greater than 2^31-1, so none needs more bytes. */
  private static final int MAX_SHIFT = 28;

  private static final byte[] NOTHING = {};

  private final int maxListBytes;
  private final HpackSpace space = HpackSpace.current();
  private final DecoderTable table = new DecoderTable();
  private long state = HeaderBlockCache.EMPTY_TABLE;

  /** The block under way, and where we are in it. */
  private byte[] bytes = NOTHING;

  private int at;
  private int end;

  /** The string read last: in the block itself, or decoded from Huffman code. */
  private byte[] text = NOTHING;

  private int textAt;
  private int textLength;

  HpackDecoder(int maxListBytes) {
    this.maxListBytes = maxListBytes;
  }

  /**
   * Decodes {@code block}, which is always read to its end, so that the table stays in step.
   *
   * @return a cut list when it is larger than allowed (RFC 9113 section 6.5.2): the fields that fit
   */
  HeaderList decode(ByteBuf block) throws ConnectionFault {
    end = block.readableBytes();
    at = 0;
    bytes = space.block.of(end);
    block.readBytes(bytes, 0, end);
    try {
      int key = HeaderBlockCache.keyOf(state, bytes, end);
      HeaderList known = key == 0 ? null : space.blocks.decoded(key, state, bytes, end);
      return known != null && mayBeAnyKept() ? known : decodeNew(key);
    } finally {
      bytes = NOTHING;
      text = NOTHING;
    }
  }

  private HeaderList decodeNew(int key) throws ConnectionFault {
    long before = state;
    space.fields.clear();
    if (!readFields()) {
      return space.fields.cut();
    }
    HeaderList list = space.cache.list(space.fields);
    if (state == before) {
      space.blocks.onDecoded(key, state, bytes, end, list);
    }
    return list;
  }

  /** RFC 9113 section 6.5.2: how large a list may be that is not cut. */
  int maxListBytes() {
    return maxListBytes;
  }

  /** Lists are kept for all connections of the loop, but not all of them take lists as large. */
  private boolean mayBeAnyKept() {
    return maxListBytes >= HeaderList.MAX_KEPT_BYTES;
  }

  /** What its table takes on the heap. */
  int heapBytes() {
    return table.heapBytes();
  }

  /** How much the table holds, as section 4.1 counts. */
  int tableBytes() {
    return table.bytes();
  }

  /** Section 6: one representation after the other. False when not all of them fit. */
  private boolean readFields() throws ConnectionFault {
    int left = maxListBytes;
    boolean fits = true;
    boolean begun = false;
    while (at < end) {
      int first = bytes[at];
      if ((first & 0xe0) == 0x20) { // section 6.3
        if (begun) {
          throw fault("table size is updated within a header block"); // section 4.2
        }
        state = space.blocks.nextState();
        if (!table.resize(integer(0x1f))) {
          throw fault("table size exceeds the limit");
        }
      } else {
        begun = true;
        HeaderField field = field(first);
        if (field == null) {
          fits = false;
        } else if (field.size() <= left) {
          left -= field.size();
          space.fields.add(field.stripped());
        } else {
          fits = false;
        }
      }
    }
    return fits;
  }

  /** The next field; null for one that no list may have, of which nothing is made. */
  private @Nullable HeaderField field(int first) throws ConnectionFault {
    if (first < 0) { // section 6.1
      return indexed(integer(0x7f));
    }
    if (first >= 0x40) { // section 6.2.1
      HeaderName name = name(integer(0x3f));
      readString();
      if (name == null || isTooLarge(name)) {
        state = space.blocks.nextState();
        table.addTooLarge();
        return null;
      }
      HeaderField field = space.cache.field(name, text, textAt, textLength);
      state = space.blocks.nextState();
      table.add(field);
      return field;
    }
    HeaderName name = name(integer(0x0f));
    readString();
    if (name == null || isTooLarge(name)) {
      return null;
    }
    return first >= 0x10 // section 6.2.3
        ? HeaderField.neverIndexed(name, text, textAt, textLength)
        : space.cache.field(name, text, textAt, textLength); // section 6.2.2
  }

  private HeaderField indexed(int index) throws ConnectionFault {
    HeaderField field = table.get(index);
    if (field == null) {
      throw fault("index is in no table"); // section 2.3.3
    }
    return field;
  }

  /** Whether the field of {@code name} and the string just read is beyond both list and table. */
  private boolean isTooLarge(HeaderName name) {
    int most = Math.max(maxListBytes, DecoderTable.MAX_BYTES);
    return name.text().length() + textLength + HeaderField.OVERHEAD > most;
  }

  /** The next name; null for one that no field may have. */
  private @Nullable HeaderName name(int index) throws ConnectionFault {
    if (index > 0) {
      return indexed(index).name();
    }
    readString();
    if (textLength > Math.max(maxListBytes, DecoderTable.MAX_BYTES)) {
      return null;
    }
    return space.cache.name(text, textAt, textLength);
  }

  /** Section 5.1. */
  private int integer(int prefix) throws ConnectionFault {
    int value = bytes[at++] & prefix;
    if (value < prefix) {
      return value;
    }
    long sum = value;
    for (int shift = 0; shift <= MAX_SHIFT; shift += 7) {
      int next = bytes[requireByte()];
      at++;
      sum += (long) (next & 0x7f) << shift;
      if (next >= 0) {
        if (sum > Integer.MAX_VALUE) {
          break;
        }
        return (int) sum;
      }
    }
    throw fault("integer is too large");
  }

  /** Section 5.2. */
  private void readString() throws ConnectionFault {
    boolean huffman = bytes[requireByte()] < 0;
    int length = integer(0x7f);
    if (length > end - at) {
      throw fault("header block ends within a string");
    }
    if (huffman) {
      text = space.text.of(Huffman.mostDecoded(length));
      textAt = 0;
      textLength = Huffman.decode(bytes, at, at + length, text);
      if (textLength < 0) {
        throw fault("string is not in Huffman code");
      }
    } else {
      text = bytes;
      textAt = at;
      textLength = length;
    }
    at += length;
  }

  /** Where the next byte is; the block may hold bytes of an earlier one behind its end. */
  private int requireByte() throws ConnectionFault {
    if (at == end) {
      throw fault("header block is cut short");
    }
    return at;
  }

  private static ConnectionFault fault(String reason) {
    return new ConnectionFault(Http2Error.COMPRESSION_ERROR, "header block: " + reason);
  }
}
