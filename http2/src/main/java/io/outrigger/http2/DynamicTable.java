package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The dynamic table of an HPACK encoder or decoder (RFC 7541 section 2.3.2). A search is linear,
 * because a table has room for only about a hundred fields.
 */
@LoopConfined
final class DynamicTable {
  /**
   * The default of SETTINGS_HEADER_TABLE_SIZE (RFC 9113 section 6.5.2), which our encoder and
   * decoder never exceed, even if the peer allows a larger table (CVE-2026-93492).
   */
  static final int MAX_BYTES = 4096;

  private static final @Nullable HeaderField[] NO_FIELDS = {};
  private static final int[] NO_HASHES = {};

  /**
   * The table's entries, in a ring buffer whose length is a power of two. The newest entry is at
   * {@code (added - 1) % length}.
   */
  private @Nullable HeaderField[] ring = NO_FIELDS;

  /** The hashes of the entries in {@link #ring}, so that a search reads one array only. */
  private int[] hashes = NO_HASHES;

  private int added;
  private int count;
  private int bytes;
  private int maxBytes = MAX_BYTES;

  /** The field at an index above the static table; null for an unused index. */
  @Nullable HeaderField get(int index) {
    int age = index - StaticTable.SIZE;
    return age > count ? null : at(age);
  }

  /** The index of the entry that equals a given field; 0 if the table has no equal entry. */
  int indexOf(HeaderField field) {
    int mask = hashes.length - 1;
    int hash = field.hash();
    for (int age = 1; age <= count; age++) {
      if (hashes[(added - age) & mask] == hash && at(age).isSame(field)) {
        return StaticTable.SIZE + age;
      }
    }
    return 0;
  }

  int indexOf(HeaderName name) {
    for (int age = 1; age <= count; age++) {
      if (at(age).name().isSame(name)) {
        return StaticTable.SIZE + age;
      }
    }
    return 0;
  }

  /** RFC 7541 section 4.4: a field larger than the table evicts all entries and is not added. */
  void addTooLarge() {
    shrinkTo(0);
  }

  /** RFC 7541 section 4.4: adds a field and evicts older fields. */
  void add(HeaderField field) {
    int size = field.size();
    shrinkTo(maxBytes - size);
    if (size > maxBytes) {
      return;
    }
    if (count == ring.length) {
      grow();
    }
    int slot = added & (ring.length - 1);
    ring[slot] = field;
    hashes[slot] = field.hash();
    added++;
    count++;
    bytes += size;
  }

  /**
   * RFC 7541 sections 4.3 and 6.3: changes the size of the table and evicts entries.
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

  int maxBytes() {
    return maxBytes;
  }

  /** The size of the table, counted as in RFC 7541 section 4.1. */
  int bytes() {
    return bytes;
  }

  /** The entry of the given age; the newest entry has age 1. */
  private HeaderField at(int age) {
    return requireNonNull(ring[(added - age) & (ring.length - 1)]);
  }

  private void shrinkTo(int limit) {
    while (count > 0 && bytes > limit) {
      bytes -= at(count).size();
      ring[(added - count) & (ring.length - 1)] = null;
      count--;
    }
  }

  private void grow() {
    HeaderField[] larger = new HeaderField[Math.max(8, 2 * ring.length)];
    int[] largerHashes = new int[larger.length];
    for (int i = added - count; i != added; i++) {
      larger[i & (larger.length - 1)] = ring[i & (ring.length - 1)];
      largerHashes[i & (larger.length - 1)] = hashes[i & (ring.length - 1)];
    }
    ring = larger;
    hashes = largerHashes;
  }
}
