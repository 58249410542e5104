package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Decodes header blocks into header lists (RFC 7541). Lists and tables share field objects, so an
 * indexed field is neither copied nor checked again. {@link HeaderRules} checks which fields are
 * allowed.
 */
@LoopConfined
final class HpackDecoder {
  /** The largest shift of a byte when an integer is decoded; 2^31-1 needs no larger shift. */
  private static final int MAX_SHIFT = 28;

  private static final byte[] NOTHING = {};

  /** The fields of the static table by their index; index 0 is unused. */
  private static final @Nullable HeaderField[] STATIC = new HeaderField[StaticTable.SIZE + 1];

  static {
    for (int index = 1; index <= StaticTable.SIZE; index++) {
      STATIC[index] =
          HeaderField.of(
              HeaderName.of(new AsciiString(StaticTable.name(index))),
              new AsciiString(StaticTable.value(index)));
    }
  }

  private final int maxListBytes;
  private final HpackSpace space = HpackSpace.current();
  final DynamicTable table = new DynamicTable();
  private long state = HeaderBlockCache.EMPTY_TABLE;

  /** The block that is being decoded. */
  private byte[] bytes = NOTHING;

  /** The position of the next byte in {@link #bytes}. */
  private int at;

  private int end;

  /** The array with the string that was read last: the block, or the Huffman decoder's output. */
  private byte[] text = NOTHING;

  private int textAt;
  private int textLength;

  HpackDecoder(int maxListBytes) {
    this.maxListBytes = maxListBytes;
  }

  /**
   * Decodes {@code block}. A block is always read to its end, so that the table stays in sync with
   * the peer's encoder. A list that is too large (RFC 9113 section 6.5.2) is marked as cut and has
   * only the fields that fit.
   */
  HeaderList decode(ByteBuf block) throws ConnectionFault {
    end = block.readableBytes();
    at = 0;
    bytes = space.block.of(end);
    block.readBytes(bytes, 0, end);
    try {
      int key = HeaderBlockCache.keyOf(state, bytes, end);
      HeaderList known = key == 0 ? null : space.blocks.decoded(key, state, bytes, end);
      // A cached list may be larger than this connection allows.
      boolean mayBeAny = maxListBytes >= HeaderList.MAX_CACHED_BYTES;
      return known != null && mayBeAny ? known : decodeNew(key);
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
    return state == before
        ? space.blocks.onDecoded(key, state, bytes, end, space.fields)
        : space.fields.copy(false);
  }

  /** The maximum size of a list, counted as in RFC 9113 section 6.5.2; larger lists are cut. */
  int maxListBytes() {
    return maxListBytes;
  }

  /** RFC 7541 section 6: reads all fields; returns false if a field does not fit into the list. */
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

  /** Reads the next field; returns null for a field that is too large ({@link #isTooLarge}). */
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
      HeaderField field = space.texts.field(name, text, textAt, textLength);
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
        ? HeaderField.copyOf(name, text, textAt, textLength, true)
        : space.texts.field(name, text, textAt, textLength); // section 6.2.2
  }

  private HeaderField indexed(int index) throws ConnectionFault {
    HeaderField field = index > StaticTable.SIZE ? table.get(index) : STATIC[index];
    if (field == null) {
      throw fault("index is in no table"); // section 2.3.3
    }
    return field;
  }

  /**
   * Whether a field is too large for both the header list and the dynamic table. The field has the
   * given name and the value that was read last.
   */
  private boolean isTooLarge(HeaderName name) {
    return name.text().length() + textLength + HeaderField.OVERHEAD > maxUsefulBytes();
  }

  /**
   * Reads the next name; returns null if the name alone is too large for both the header list and
   * the dynamic table.
   */
  private @Nullable HeaderName name(int index) throws ConnectionFault {
    if (index > 0) {
      return indexed(index).name();
    }
    readString();
    if (textLength > maxUsefulBytes()) {
      return null;
    }
    return space.texts.name(text, textAt, textLength);
  }

  private int maxUsefulBytes() {
    return Math.max(maxListBytes, DynamicTable.MAX_BYTES);
  }

  /** RFC 7541 section 5.1: reads an integer. */
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

  /** RFC 7541 section 5.2: reads a string into {@link #text}. */
  private void readString() throws ConnectionFault {
    boolean huffman = bytes[requireByte()] < 0;
    int length = integer(0x7f);
    if (length > end - at) {
      throw fault("header block ends within a string");
    }
    if (huffman) {
      text = space.text.of(Huffman.maxDecoded(length));
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

  /** Returns the position of the next byte; throws at the end of the block. */
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
