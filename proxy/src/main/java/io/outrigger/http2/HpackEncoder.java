package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Turns header lists into header blocks (RFC 7541).
 *
 * <p>What goes into the table is decided by what is seen, not by a list of names: a field that
 * comes for the second time, and the first field of a name that has no index yet. So values that
 * differ with every request (trace ids, timeouts, lengths) do not push out those that stay, and
 * still cost no more than an index for their name.
 */
@LoopConfined
final class HpackEncoder {
  /** RFC 9113 section 6.5.2: SETTINGS_HEADER_TABLE_SIZE until the peer sets it. */
  private static final int INITIAL_TABLE_BYTES = 4096;

  /** The most we use, though a peer may allow more (CVE-2026-93492): what repeats fits. */
  private static final int MAX_TABLE_BYTES = 4096;

  private static final int REMEMBERED = 128;

  private final HpackSpace space = HpackSpace.current();
  private final HpackOutput out = space.output;
  private final EncoderTable table = new EncoderTable(INITIAL_TABLE_BYTES);
  private long state = HeaderBlockCache.EMPTY_TABLE;

  /** Whether the block under construction has a field that is not an index alone. */
  private boolean hasLiteral;

  /** Fields that went without an index; made when the first one goes. */
  private @Nullable SeenOnceFilter strangers;

  /** What the table is to become before the next block, and the least it was to be meanwhile. */
  private int tableBytes = INITIAL_TABLE_BYTES;

  private int leastTableBytes = INITIAL_TABLE_BYTES;

  /** The block of {@code headers}, good until the next block of any connection of this loop. */
  HpackOutput encode(HeaderList headers) {
    out.clear();
    resizeTable();
    byte[] known = headers.recurs() ? space.blocks.encoded(state, headers) : null;
    if (known != null) {
      out.bytes(known, 0, known.length);
    } else {
      encodeNew(headers);
    }
    return out;
  }

  /** The same for a block that goes only once. */
  HpackOutput encode(HeaderList.Builder fields) {
    out.clear();
    resizeTable();
    for (int i = 0; i < fields.size(); i++) {
      encode(fields.field(i));
    }
    return out;
  }

  /** A literal may be worth an entry the next time, so only indexes are the same again. */
  private void encodeNew(HeaderList headers) {
    int from = out.length();
    hasLiteral = false;
    for (int i = 0; i < headers.size(); i++) {
      encode(headers.field(i));
    }
    if (headers.recurs() && !hasLiteral) {
      space.blocks.onEncoded(state, headers, Arrays.copyOfRange(out.bytes(), from, out.length()));
    }
  }

  /** The peer's SETTINGS_HEADER_TABLE_SIZE, an unsigned number. */
  void maxTableSize(long bytes) {
    tableBytes = (int) Math.min(bytes, MAX_TABLE_BYTES);
    leastTableBytes = Math.min(leastTableBytes, tableBytes);
  }

  /** What it takes on the heap. */
  int heapBytes() {
    return table.heapBytes() + (strangers == null ? 0 : REMEMBERED * Integer.BYTES);
  }

  /** How much the table holds, as section 4.1 counts. */
  int tableBytes() {
    return table.bytes();
  }

  /** Section 4.2: a size in between is told too, since the peer evicted by it. */
  private void resizeTable() {
    if (leastTableBytes < table.maxBytes() && leastTableBytes < tableBytes) {
      resizeTable(leastTableBytes);
    }
    if (tableBytes != table.maxBytes()) {
      resizeTable(tableBytes);
    }
    leastTableBytes = tableBytes;
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

  /** A large one would push out too many that serve. */
  private boolean isWorthAnEntry(HeaderField field) {
    if (field.size() > table.maxBytes() / 4) {
      return false;
    }
    if (nameIndex(field.name()) == 0) {
      return true;
    }
    if (strangers == null) {
      strangers = new SeenOnceFilter(REMEMBERED);
    }
    return strangers.isKnown(field.hash());
  }
}
