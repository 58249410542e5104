package io.outrigger.proxy.http2;

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

  /** A block without fields. */
  public static final HeaderList EMPTY = new HeaderList(new AsciiString[0], 0);

  /** Names at even places, values at odd ones. */
  private final AsciiString[] fields;

  private final int size;

  private HeaderList(AsciiString[] fields, int size) {
    this.fields = fields;
    this.size = size;
  }

  public static Builder builder(int expectedFields) {
    return new Builder(expectedFields);
  }

  /** How many fields. */
  public int size() {
    return size;
  }

  public AsciiString name(int index) {
    return fields[2 * index];
  }

  public AsciiString value(int index) {
    return fields[2 * index + 1];
  }

  /** The first value of {@code name} (lower case); null when absent. */
  public @Nullable AsciiString get(AsciiString name) {
    int index = indexOf(name, 0);
    return index < 0 ? null : fields[2 * index + 1];
  }

  /** The first place of {@code name} from {@code start} on, or -1. */
  @SuppressWarnings("ReferenceEquality") // interned names are the common case
  public int indexOf(AsciiString name, int start) {
    for (int i = start; i < size; i++) {
      AsciiString candidate = fields[2 * i];
      if (candidate == name || (candidate.length() == name.length() && candidate.equals(name))) {
        return i;
      }
    }
    return -1;
  }

  public boolean contains(AsciiString name) {
    return indexOf(name, 0) >= 0;
  }

  @Override
  public String toString() {
    var text = new StringBuilder();
    for (int i = 0; i < size; i++) {
      text.append(i == 0 ? "" : ", ").append(name(i)).append('=').append(value(i));
    }
    return text.toString();
  }

  /** Collects fields for one block. */
  public static final class Builder {
    /** Names and values of 32 fields. */
    private static final int MOST_KEPT = 64;

    private AsciiString[] fields;
    private int size;

    private Builder(int expectedFields) {
      fields = new AsciiString[2 * Math.max(4, expectedFields)];
    }

    public Builder add(AsciiString name, AsciiString value) {
      if (2 * size == fields.length) {
        fields = Arrays.copyOf(fields, 2 * fields.length);
      }
      fields[2 * size] = name;
      fields[2 * size + 1] = value;
      size++;
      return this;
    }

    public Builder add(AsciiString name, String value) {
      return add(name, new AsciiString(value));
    }

    /** The block; the builder is spent. */
    public HeaderList build() {
      return new HeaderList(fields, size);
    }

    /** The block, of just the size it needs; the builder may serve again after {@link #clear}. */
    HeaderList copy() {
      return size == 0 ? EMPTY : new HeaderList(Arrays.copyOf(fields, 2 * size), size);
    }

    /** Forgets the fields, and room that only an unusual block needed. */
    void clear() {
      if (fields.length > MOST_KEPT) {
        fields = new AsciiString[MOST_KEPT];
      }
      size = 0;
    }
  }
}
