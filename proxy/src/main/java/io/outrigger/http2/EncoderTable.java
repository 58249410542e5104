package io.outrigger.http2;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * What the peer's decoder has in its table, to be found by field and by name (RFC 7541 section
 * 2.3).
 *
 * <p>Entries are numbered as they come. Those of one hash are chained from the newest to the
 * oldest; a chain ends at the first number that was evicted, so chains need no care when an entry
 * goes.
 */
@LoopConfined
final class EncoderTable {
  private static final int LEAST_ENTRIES = 8;
  private static final @Nullable HeaderField[] NO_FIELDS = {};
  private static final int[] NO_NUMBERS = {};

  /** By number; like the arrays below, a power of two long and made when it is first needed. */
  private @Nullable HeaderField[] ring = NO_FIELDS;

  /** By hash: the newest number, 0 for none. By number: the next older one of the same hash. */
  private int[] byField = NO_NUMBERS;

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

  /** Lets a test come to the end of the numbers; {@code first} is positive. */
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

  /** What the entries take on the heap. */
  int heapBytes() {
    return bytes + count * HeaderField.HEAP_OVERHEAD + ring.length * 5 * Integer.BYTES;
  }

  /** The index of a field like {@code field}; 0 when there is none. */
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

  /** The index of a field with this name; 0 when there is none. */
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

  /** Section 4.4; {@code field} is not larger than the table. */
  void add(HeaderField field) {
    shrinkTo(maxBytes - field.size());
    if (count == ring.length || next == Integer.MAX_VALUE) {
      rebuild(count == ring.length ? Math.max(LEAST_ENTRIES, 2 * count) : ring.length);
    }
    put(field);
  }

  /** Section 4.3. */
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

  /** Entries keep their numbers, unless those run out. */
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

  /** Section 2.3.3: the newest one follows the static table. */
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
