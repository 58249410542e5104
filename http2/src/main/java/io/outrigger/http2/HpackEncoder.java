package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import io.outrigger.http2.HeaderBlockCache.SeenOnceFilter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Encodes header lists into header blocks (RFC 7541).
 *
 * <p>The encoder adds a field to the table when the field occurs for the second time, or when its
 * name has no index yet. Values that differ in every request (trace ids, timeouts, lengths) thus do
 * not evict recurring values.
 */
@LoopConfined
final class HpackEncoder {
  private static final int REMEMBERED = 128;

  private final HpackSpace space = HpackSpace.current();
  private final HpackOutput out = space.output;
  final DynamicTable table = new DynamicTable();
  private long state = HeaderBlockCache.EMPTY_TABLE;

  /** Whether the current block has a field that is encoded as a literal. */
  private boolean hasLiteral;

  /** Remembers fields that were sent without indexing; created when the first of them is sent. */
  private @Nullable SeenOnceFilter seenOnce;

  /** The size to which the table is changed before the next block. */
  private int tableBytes = DynamicTable.MAX_BYTES;

  /** The smallest table size that the peer has set since the last block. */
  private int minTableBytes = DynamicTable.MAX_BYTES;

  /** Encodes {@code headers}; the result is valid until this event loop encodes another block. */
  HpackOutput encode(HeaderList headers) {
    out.clear();
    resizeTable();
    byte[] known = headers.recurs() ? space.blocks.encoded(state, headers) : null;
    if (known != null) {
      out.bytes(known, 0, known.length);
      return out;
    }
    int from = out.length();
    hasLiteral = false;
    for (int i = 0; i < headers.size(); i++) {
      encode(headers.field(i));
    }
    // A block with a literal is not cached, as the next encoding may add the field to the table.
    if (headers.recurs() && !hasLiteral) {
      space.blocks.onEncoded(state, headers, Arrays.copyOfRange(out.bytes(), from, out.length()));
    }
    return out;
  }

  /** Applies the peer's SETTINGS_HEADER_TABLE_SIZE, an unsigned number. */
  void maxTableSize(long bytes) {
    tableBytes = (int) Math.min(bytes, DynamicTable.MAX_BYTES);
    minTableBytes = Math.min(minTableBytes, tableBytes);
  }

  /**
   * RFC 7541 section 4.2: announces changes of the table's size. If the peer has shrunk and then
   * enlarged its table, the smallest size is announced first.
   */
  private void resizeTable() {
    if (minTableBytes < table.maxBytes() && minTableBytes < tableBytes) {
      resizeTable(minTableBytes);
    }
    if (tableBytes != table.maxBytes()) {
      resizeTable(tableBytes);
    }
    minTableBytes = tableBytes;
  }

  private void resizeTable(int size) {
    state = space.blocks.nextState();
    table.resize(size);
    out.integer(0x20, 5, size); // section 6.3
  }

  private void encode(HeaderField field) {
    if (field.isNeverIndexed() || field.name().isSecret()) {
      literal(0x10, 4, field); // section 6.2.3
      return;
    }
    int index = field.staticIndex() > 0 ? field.staticIndex() : table.indexOf(field);
    if (index > 0) {
      out.integer(0x80, 7, index); // section 6.1
    } else if (isWorthAnEntry(field)) {
      literal(0x40, 6, field); // section 6.2.1
      state = space.blocks.nextState();
      table.add(field);
    } else {
      literal(0, 4, field); // section 6.2.2
    }
  }

  private void literal(int pattern, int prefixBits, HeaderField field) {
    hasLiteral = true;
    int name = nameIndex(field.name());
    out.integer(pattern, prefixBits, name);
    if (name == 0) {
      out.string(field.name().bytes());
    }
    out.string(field.bytes());
  }

  private int nameIndex(HeaderName name) {
    return name.staticIndex() > 0 ? name.staticIndex() : table.indexOf(name);
  }

  /** Whether to add a field to the table. A large field would evict too many other fields. */
  private boolean isWorthAnEntry(HeaderField field) {
    if (field.size() > table.maxBytes() / 4) {
      return false;
    }
    if (nameIndex(field.name()) == 0) {
      return true;
    }
    if (seenOnce == null) {
      seenOnce = new SeenOnceFilter(REMEMBERED);
    }
    return seenOnce.isKnown(field.hash());
  }
}
