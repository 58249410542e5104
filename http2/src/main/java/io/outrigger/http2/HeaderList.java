package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An immutable list of header fields in the order of the header block, including duplicates.
 * Pseudo-headers come first, names are in lower case, values are the received bytes.
 */
@AnyThread
public final class HeaderList {
  /** The heap size of a list without its fields. */
  private static final int OBJECT_BYTES = 64;

  public static final HeaderList EMPTY = new HeaderList(new HeaderField[0], 0, 0, false);

  /** The maximum size of a list that is cached, counted as in RFC 9113 section 6.5.2. */
  static final int MAX_CACHED_BYTES = 2048;

  private final HeaderField[] fields;
  private final int size;
  private final int names;
  private final int heapBytes;

  /** The hash of a recurring list (see {@link #recurs}); 0 for other lists. */
  private final int hash;

  private final boolean cut;

  private HeaderList(HeaderField[] fields, int size, int hash, boolean cut) {
    this.cut = cut;
    this.fields = fields;
    this.size = size;
    this.hash = hash;
    int bits = 0;
    int heap = OBJECT_BYTES;
    for (int i = 0; i < size; i++) {
      bits |= fields[i].known().bit();
      heap += fields[i].size() + HeaderField.HEAP_OVERHEAD;
    }
    names = bits;
    heapBytes = heap;
  }

  public static Builder builder(int expectedFields) {
    return new Builder(expectedFields);
  }

  /** The maximum heap size of the list, including fields that are shared with other lists. */
  public int heapBytes() {
    return heapBytes;
  }

  public int size() {
    return size;
  }

  /** The size of the list as defined in RFC 9113 section 6.5.2. */
  public long listBytes() {
    return heapBytes - OBJECT_BYTES - (long) size * HeaderField.HEAP_OVERHEAD;
  }

  public HeaderField field(int index) {
    return fields[index];
  }

  public AsciiString name(int index) {
    return fields[index].name().text();
  }

  public AsciiString value(int index) {
    return fields[index].value();
  }

  /** Whether fields are missing because the received list was larger than allowed. */
  boolean isCut() {
    return cut;
  }

  /** Returns a list of the fields that are valid regardless of the other fields. */
  HeaderList validFields() {
    return only(field -> field.fault() == null);
  }

  private HeaderList only(Predicate<HeaderField> kept) {
    Builder selected = builder(size);
    for (int i = 0; i < size; i++) {
      if (kept.test(fields[i])) {
        selected.add(fields[i]);
      }
    }
    return selected.build();
  }

  /** Returns a list without the fields of the given names, or this list if no field is removed. */
  public HeaderList without(KnownName... removed) {
    int bits = 0;
    for (KnownName name : removed) {
      bits |= name.bit();
    }
    int without = bits;
    return (names & bits) == 0 ? this : only(field -> (field.known().bit() & without) == 0);
  }

  /** Returns a list without the fields of one name, or this list if no field is removed. */
  public HeaderList without(KnownName removed) {
    return contains(removed) ? only(field -> field.known() != removed) : this;
  }

  /** Whether equal lists are likely to follow, so that results for this list should be cached. */
  public boolean recurs() {
    return hash != 0;
  }

  /** The hash of a recurring list (see {@link #recurs}), as a cache key; 0 for other lists. */
  public int hash() {
    return hash;
  }

  public @Nullable HeaderField find(KnownName name) {
    if (!contains(name)) {
      return null;
    }
    int i = 0;
    while (fields[i].known() != name) {
      i++;
    }
    return fields[i];
  }

  public @Nullable HeaderField findLast(KnownName name) {
    if (!contains(name)) {
      return null;
    }
    int i = size - 1;
    while (fields[i].known() != name) {
      i--;
    }
    return fields[i];
  }

  int count(KnownName name) {
    int count = 0;
    for (int i = 0; i < size; i++) {
      count += fields[i].known() == name ? 1 : 0;
    }
    return count;
  }

  public @Nullable AsciiString get(KnownName name) {
    HeaderField field = find(name);
    return field == null ? null : field.value();
  }

  public boolean contains(KnownName name) {
    return (names & name.bit()) != 0;
  }

  /** The first value of the field with the given lower-case name; null when absent. */
  public @Nullable AsciiString get(AsciiString name) {
    for (int i = 0; i < size; i++) {
      if (fields[i].name().text().equals(name)) {
        return fields[i].value();
      }
    }
    return null;
  }

  public boolean contains(AsciiString name) {
    return get(name) != null;
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    for (int i = 0; i < size; i++) {
      text.append(i == 0 ? "" : ", ").append(fields[i]);
    }
    return text.toString();
  }

  /** Collects the fields of one list, or of several lists one after another. */
  public static final class Builder {
    private static final int MAX_KEPT_FIELDS = 64;

    private HeaderField[] fields;
    private int size;

    private Builder(int expectedFields) {
      fields = new HeaderField[Math.max(2, expectedFields)];
    }

    public Builder add(HeaderField field) {
      if (size == fields.length) {
        fields = Arrays.copyOf(fields, 2 * fields.length);
      }
      fields[size++] = field;
      return this;
    }

    public Builder addAll(HeaderList list) {
      for (int i = 0; i < list.size; i++) {
        add(list.fields[i]);
      }
      return this;
    }

    public Builder add(AsciiString name, AsciiString value) {
      return add(HeaderField.of(HeaderName.of(name), value));
    }

    public Builder add(KnownName name, AsciiString value) {
      return add(HeaderField.of(name, value));
    }

    public Builder add(KnownName name, String value) {
      return add(HeaderField.of(name, value));
    }

    public Builder add(AsciiString name, String value) {
      return add(name, new AsciiString(value));
    }

    /** Returns the list. The builder cannot be used after this call. */
    public HeaderList build() {
      return new HeaderList(fields, size, 0, false);
    }

    /** Returns a list that will be sent many times. The builder cannot be used after this call. */
    public HeaderList buildRecurring() {
      return new HeaderList(fields, size, isCacheable() ? hash() : 0, false);
    }

    public int size() {
      return size;
    }

    /** The hash of the fields that were added so far; never 0. */
    int hash() {
      int hash = 1;
      for (int i = 0; i < size; i++) {
        hash = 31 * hash + fields[i].hash();
      }
      return hash == 0 ? 1 : hash;
    }

    boolean isSame(HeaderList list) {
      if (list.size != size) {
        return false;
      }
      for (int i = 0; i < size; i++) {
        if (!list.fields[i].isSame(fields[i])) {
          return false;
        }
      }
      return true;
    }

    /** Whether the list may be cached: it is small, and no field is marked as never indexed. */
    boolean isCacheable() {
      int bytes = 0;
      for (int i = 0; i < size && bytes <= MAX_CACHED_BYTES; i++) {
        bytes += fields[i].isNeverIndexed() ? MAX_CACHED_BYTES + 1 : fields[i].size();
      }
      return bytes <= MAX_CACHED_BYTES;
    }

    /** Returns the fields as a list; the builder may be reused after {@link #clear}. */
    HeaderList copy(boolean recurs) {
      if (size == 0) {
        return EMPTY;
      }
      return new HeaderList(Arrays.copyOf(fields, size), size, recurs ? hash() : 0, false);
    }

    /** Like {@link #copy}, for a list that lacks received fields (see {@link HeaderList#isCut}). */
    HeaderList cut() {
      return new HeaderList(Arrays.copyOf(fields, size), size, 0, true);
    }

    /** Removes all fields, and shrinks an unusually large array. */
    public void clear() {
      if (fields.length > MAX_KEPT_FIELDS) {
        fields = new HeaderField[MAX_KEPT_FIELDS];
      }
      size = 0;
    }
  }
}
