package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable header block: fields in order, pseudo-headers first, names in lower case, values as
 * the bytes that came. Duplicates are kept.
 */
@AnyThread
public final class HeaderList {
  public static final AsciiString METHOD = AsciiString.cached(":method");
  public static final AsciiString SCHEME = AsciiString.cached(":scheme");
  public static final AsciiString AUTHORITY = AsciiString.cached(":authority");
  public static final AsciiString PATH = AsciiString.cached(":path");
  public static final AsciiString STATUS = AsciiString.cached(":status");

  /** The list itself. */
  private static final int OBJECT_BYTES = 64;

  /** A block without fields. */
  public static final HeaderList EMPTY = new HeaderList(new HeaderField[0], 0, 0, 0);

  /** The most that a list may have which is kept, as RFC 9113 section 6.5.2 counts. */
  static final int MAX_KEPT_BYTES = 2048;

  private final HeaderField[] fields;
  private final int size;

  /** The bits of the known names that occur. */
  private final int names;

  /** What it takes on the heap at the most. */
  private final int heapBytes;

  /** Of a list that recurs; 0 for others. */
  private final int hash;

  /** The rules that it was found to obey; a race costs no more than another look. */
  private byte obeyed;

  private final boolean cut;

  private HeaderList(HeaderField[] fields, int size, int names, int hash) {
    this(fields, size, names, hash, false);
  }

  private HeaderList(HeaderField[] fields, int size, int names, int hash, boolean cut) {
    this.cut = cut;
    this.fields = fields;
    this.size = size;
    this.names = names;
    this.hash = hash;
    int heap = OBJECT_BYTES;
    for (int i = 0; i < size; i++) {
      heap += fields[i].size() + HeaderField.HEAP_OVERHEAD;
    }
    heapBytes = heap;
  }

  public static Builder builder(int expectedFields) {
    return new Builder(expectedFields);
  }

  private static int namesOf(HeaderField[] fields, int size) {
    int names = 0;
    for (int i = 0; i < size; i++) {
      names |= fields[i].known().bit();
    }
    return names;
  }

  /**
   * What the list takes on the heap at the most: fields that it shares with others or with a table
   * are counted as if they were its own, since it may be the last that has them.
   */
  public int heapBytes() {
    return heapBytes;
  }

  /** How many fields. */
  public int size() {
    return size;
  }

  /** The size of the list as peers count it (RFC 9113 section 6.5.2). */
  public long listBytes() {
    return listBytes(fields, size);
  }

  private static long listBytes(HeaderField[] fields, int size) {
    long bytes = 0;
    for (int i = 0; i < size; i++) {
      bytes += fields[i].size();
    }
    return bytes;
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

  /** Whether fields are missing, since the list was larger than allowed. */
  boolean isCut() {
    return cut;
  }

  /** The same without fields that break a rule by themselves, and no longer cut. */
  HeaderList sound() {
    Builder rest = builder(size);
    for (int i = 0; i < size; i++) {
      if (fields[i].fault() == null) {
        rest.add(fields[i]);
      }
    }
    return rest.build();
  }

  /**
   * Whether it came or went before, so that the same object is likely to do so again: what follows
   * from it is worth keeping.
   */
  public boolean recurs() {
    return hash != 0;
  }

  /** Of a list that recurs, for tables of what follows from it. */
  public int hash() {
    return hash;
  }

  /** Whether {@link #obeys(int)} was said of {@code rules}, a bit. */
  boolean isKnownToObey(int rules) {
    return (obeyed & rules) != 0;
  }

  void obeys(int rules) {
    obeyed |= (byte) rules;
  }

  /** The first field called {@code name}; null when absent. */
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

  /** The last field called {@code name}; null when absent. */
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

  /** How many fields are called {@code name}. */
  int count(KnownName name) {
    int count = 0;
    for (int i = 0; i < size; i++) {
      count += fields[i].known() == name ? 1 : 0;
    }
    return count;
  }

  /** The first value of {@code name}; null when absent. */
  public @Nullable AsciiString get(KnownName name) {
    HeaderField field = find(name);
    return field == null ? null : field.value();
  }

  public boolean contains(KnownName name) {
    return (names & name.bit()) != 0;
  }

  /** The first value of {@code name} (lower case); null when absent. */
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

  /** Collects fields for one block, or for one after the other. */
  public static final class Builder {
    private static final int MAX_KEPT = 64;

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

    /** The block; the builder is spent. */
    public HeaderList build() {
      return new HeaderList(fields, size, namesOf(fields, size), 0);
    }

    /** The block, which will be sent again as this very object; the builder is spent. */
    public HeaderList buildRecurring() {
      return new HeaderList(fields, size, namesOf(fields, size), mayBeKept() ? hash() : 0);
    }

    int size() {
      return size;
    }

    HeaderField field(int index) {
      return fields[index];
    }

    /** As {@link HeaderList#listBytes}. */
    public long listBytes() {
      return HeaderList.listBytes(fields, size);
    }

    /** The first value of {@code name}; null when absent. */
    @Nullable AsciiString get(KnownName name) {
      for (int i = 0; i < size; i++) {
        if (fields[i].known() == name) {
          return fields[i].value();
        }
      }
      return null;
    }

    /** Never 0. */
    int hash() {
      int hash = 1;
      for (int i = 0; i < size; i++) {
        hash = 31 * hash + fields[i].hash();
      }
      return hash == 0 ? 1 : hash;
    }

    /** Whether {@code list} consists of the same objects. */
    boolean isSame(HeaderList list) {
      if (list.size != size) {
        return false;
      }
      for (int i = 0; i < size; i++) {
        if (list.fields[i] != fields[i]) {
          return false;
        }
      }
      return true;
    }

    /** Whether the block is small, and nothing in it is not to be remembered. */
    boolean mayBeKept() {
      int bytes = 0;
      for (int i = 0; i < size && bytes <= MAX_KEPT_BYTES; i++) {
        bytes += fields[i].isNeverIndexed() ? MAX_KEPT_BYTES + 1 : fields[i].size();
      }
      return bytes <= MAX_KEPT_BYTES;
    }

    /** The block, of just the size it needs; the builder may serve again after {@link #clear}. */
    HeaderList copy(boolean recurs) {
      if (size == 0) {
        return EMPTY;
      }
      HeaderField[] own = Arrays.copyOf(fields, size);
      return new HeaderList(own, size, namesOf(own, size), recurs ? hash() : 0);
    }

    /** The same for a list of which these are only some of the fields. */
    HeaderList cut() {
      return new HeaderList(Arrays.copyOf(fields, size), size, namesOf(fields, size), 0, true);
    }

    /** Forgets the fields, and room that only an unusual block needed. */
    public void clear() {
      if (fields.length > MAX_KEPT) {
        fields = new HeaderField[MAX_KEPT];
      }
      size = 0;
    }
  }
}
