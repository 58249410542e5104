package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The entries of the dynamic table that the peer's decoder has (RFC 7541 section 2.3), with indexes
 * by field and by name.
 *
 * <p>Entries are numbered in the order in which they are added. Entries of one hash form a chain
 * from the newest to the oldest. A chain ends at the first number that was evicted, so an eviction
 * does not have to update any chain.
 */
@LoopConfined
final class EncoderTable {
  private static final int MIN_ENTRIES = 8;
  private static final @Nullable HeaderField[] NO_FIELDS = {};
  private static final int[] NO_NUMBERS = {};

  /**
   * The entries by their number. The length of this array and of the arrays below is a power of
   * two; they are created when the first entry is added.
   */
  private @Nullable HeaderField[] ring = NO_FIELDS;

  /** The number of the newest entry for each hash of a field; 0 when there is none. */
  private int[] byField = NO_NUMBERS;

  /** The number of the next older entry with the same hash, by the number of an entry. */
  private int[] olderField = NO_NUMBERS;

  private int[] byName = NO_NUMBERS;
  private int[] olderName = NO_NUMBERS;

  private int next;
  private int count;
  private int bytes;
  private int maxBytes;

  EncoderTable(int maxBytes) {
    this(maxBytes, 1);
  }

  /**
   * For tests: sets the first number, which is positive, so that a test can reach the last number.
   */
  EncoderTable(int maxBytes, int first) {
    this.maxBytes = maxBytes;
    next = first;
  }

  int maxBytes() {
    return maxBytes;
  }

  int bytes() {
    return bytes;
  }

  /** The HPACK index of a field equal to {@code field}; 0 when there is none. */
  int indexOf(HeaderField field) {
    if (count == 0) {
      return 0;
    }
    int mask = ring.length - 1;
    for (int n = byField[field.hash() & mask]; isLive(n); n = olderField[n & mask]) {
      if (at(n).isSame(field)) {
        return indexOf(n);
      }
    }
    return 0;
  }

  /** The HPACK index of a field with this name; 0 when there is none. */
  int indexOf(HeaderName name) {
    if (count == 0) {
      return 0;
    }
    int mask = ring.length - 1;
    for (int n = byName[name.hash() & mask]; isLive(n); n = olderName[n & mask]) {
      if (at(n).name().isSame(name)) {
        return indexOf(n);
      }
    }
    return 0;
  }

  /**
   * Section 4.4: adds {@code field}, which is not larger than the table, and evicts older entries.
   */
  void add(HeaderField field) {
    shrinkTo(maxBytes - field.size());
    if (count == ring.length || next == Integer.MAX_VALUE) {
      rebuild(count == ring.length ? Math.max(MIN_ENTRIES, 2 * count) : ring.length);
    }
    put(field);
  }

  /** Section 4.3: changes the size of the table and evicts entries. */
  void resize(int newMaxBytes) {
    maxBytes = newMaxBytes;
    shrinkTo(newMaxBytes);
  }

  private void shrinkTo(int most) {
    while (bytes > most) {
      int oldest = next - count;
      bytes -= at(oldest).size();
      ring[oldest & (ring.length - 1)] = null;
      count--;
    }
  }

  /**
   * Replaces the arrays. Entries keep their numbers unless the last number was used; then numbering
   * restarts at 1.
   */
  private void rebuild(int length) {
    int oldest = next - count;
    HeaderField[] entries = new HeaderField[count];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = at(oldest + i);
    }
    ring = new HeaderField[length];
    byField = new int[length];
    olderField = new int[length];
    byName = new int[length];
    olderName = new int[length];
    next = next == Integer.MAX_VALUE ? 1 : oldest;
    count = 0;
    bytes = 0;
    for (HeaderField entry : entries) {
      put(entry);
    }
  }

  private void put(HeaderField field) {
    int mask = ring.length - 1;
    int place = next & mask;
    ring[place] = field;
    int fieldPlace = field.hash() & mask;
    olderField[place] = byField[fieldPlace];
    byField[fieldPlace] = next;
    int namePlace = field.name().hash() & mask;
    olderName[place] = byName[namePlace];
    byName[namePlace] = next;
    next++;
    count++;
    bytes += field.size();
  }

  private boolean isLive(int number) {
    return number >= next - count;
  }

  /** Section 2.3.3: the newest entry has the first index after the static table. */
  private int indexOf(int number) {
    return StaticTable.SIZE + next - number;
  }

  private HeaderField at(int number) {
    HeaderField entry = ring[number & (ring.length - 1)];
    if (entry == null) {
      throw new AssertionError("entry " + number + " is gone");
    }
    return entry;
  }
}
