package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The static table of HPACK, and the dynamic table that the peer's encoder builds (RFC 7541 section
 * 2.3).
 */
@LoopConfined
final class DecoderTable {
  /**
   * The default of SETTINGS_HEADER_TABLE_SIZE, which this side does not change (RFC 9113 section
   * 6.5.2).
   */
  static final int MAX_BYTES = 4096;

  private static final @Nullable HeaderField[] NO_FIELDS = {};
  private static final HeaderField[] STATIC = new HeaderField[StaticTable.SIZE + 1];

  static {
    for (int index = 1; index <= StaticTable.SIZE; index++) {
      STATIC[index] =
          HeaderField.of(
              HeaderName.of(new AsciiString(StaticTable.name(index))),
              new AsciiString(StaticTable.value(index)));
    }
  }

  /**
   * A ring whose newest entry is at {@code (added - 1) % length}; created when the first entry is
   * added.
   */
  private @Nullable HeaderField[] ring = NO_FIELDS;

  private int added;
  private int count;
  private int bytes;
  private int maxBytes = MAX_BYTES;

  /** The field at {@code index} of the static or the dynamic table; null when there is none. */
  @Nullable HeaderField get(int index) {
    if (index <= StaticTable.SIZE) {
      return STATIC[index];
    }
    int age = index - StaticTable.SIZE;
    return age > count ? null : ring[(added - age) & (ring.length - 1)];
  }

  /** Section 4.4: an entry that is larger than the table evicts all entries and is not added. */
  void addTooLarge() {
    shrinkTo(0);
  }

  /** Section 4.4: adds a field and evicts older ones. */
  void add(HeaderField field) {
    int size = field.size();
    shrinkTo(maxBytes - size);
    if (size > maxBytes) {
      return;
    }
    if (count == ring.length) {
      grow();
    }
    ring[added & (ring.length - 1)] = field;
    added++;
    count++;
    bytes += size;
  }

  /**
   * Section 6.3: applies a dynamic table size update of the peer.
   *
   * @return false if the size exceeds {@link #MAX_BYTES}
   */
  boolean resize(int newMaxBytes) {
    if (newMaxBytes > MAX_BYTES) {
      return false;
    }
    maxBytes = newMaxBytes;
    shrinkTo(newMaxBytes);
    return true;
  }

  int bytes() {
    return bytes;
  }

  private void shrinkTo(int most) {
    while (count > 0 && bytes > most) {
      int oldest = (added - count) & (ring.length - 1);
      HeaderField evicted = ring[oldest];
      ring[oldest] = null;
      count--;
      bytes -= evicted == null ? 0 : evicted.size();
    }
  }

  private void grow() {
    HeaderField[] larger = new HeaderField[Math.max(8, 2 * ring.length)];
    for (int i = added - count; i != added; i++) {
      larger[i & (larger.length - 1)] = ring[i & (ring.length - 1)];
    }
    ring = larger;
  }
}
