package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One field of a header block. A field is immutable, so tables and lists may share one object. The
 * properties that HPACK and RFC 9113 need are computed once, when the field is created.
 */
@AnyThread
public final class HeaderField {
  /** The number of bytes that RFC 7541 section 4.1 adds to the length of name and value. */
  static final int OVERHEAD = 32;

  /** The maximum heap size of a field and its name, in addition to {@link #size}. */
  static final int HEAP_OVERHEAD = 128;

  private final HeaderName name;
  private final byte[] bytes;

  /** The value as text, created by the first call of {@link #value}: most values are never read. */
  private @Nullable AsciiString value;

  private final int hash;
  private final byte staticIndex;
  private final boolean neverIndexed;
  private final boolean faulty;
  private final boolean padded;

  /** The caller has computed {@code hash} by {@link #hash(HeaderName, byte[], int, int)}. */
  HeaderField(HeaderName name, byte[] bytes, int hash, boolean neverIndexed) {
    this.name = name;
    this.bytes = bytes;
    this.hash = hash;
    this.neverIndexed = neverIndexed;
    staticIndex = (byte) staticIndex(name, bytes);
    faulty = HeaderRules.fault(name, bytes) != null;
    padded = HeaderRules.isPadded(name, bytes);
  }

  public static HeaderField of(KnownName name, AsciiString value) {
    return of(HeaderName.of(name), value);
  }

  public static HeaderField of(KnownName name, String value) {
    return of(HeaderName.of(name), new AsciiString(value));
  }

  public static HeaderField of(HeaderName name, AsciiString value) {
    byte[] bytes = value.isEntireArrayUsed() ? value.array() : value.toByteArray();
    return new HeaderField(name, bytes, hash(name, bytes, 0, bytes.length), false);
  }

  /** Creates a field from a copy of {@code bytes}. */
  static HeaderField copyOf(
      HeaderName name, byte[] bytes, int at, int length, boolean neverIndexed) {
    byte[] copy = Arrays.copyOfRange(bytes, at, at + length);
    return new HeaderField(name, copy, hash(name, copy, 0, length), neverIndexed);
  }

  static int hash(HeaderName name, byte[] bytes, int at, int length) {
    return ByteHash.of(name.hash(), ByteHash.of(bytes, at, length));
  }

  public HeaderName name() {
    return name;
  }

  public AsciiString value() {
    AsciiString known = value;
    if (known == null) {
      known = new AsciiString(bytes, false);
      value = known; // a race between threads creates an equal object
    }
    return known;
  }

  /** The bytes of the value; callers do not change the array. */
  byte[] bytes() {
    return bytes;
  }

  public KnownName known() {
    return name.known();
  }

  /**
   * Whether the sender has marked the field as never to be added to an HPACK table. The proxy marks
   * the field in the same way when it sends the field on (RFC 7541 section 6.2.3).
   */
  boolean isNeverIndexed() {
    return neverIndexed;
  }

  /** Returns the field as header lists contain it, without blanks around its value. */
  HeaderField stripped() {
    if (!padded) {
      return this;
    }
    int from = 0;
    int to = bytes.length;
    while (from < to && HeaderRules.isBlank(bytes[from])) {
      from++;
    }
    while (to > from && HeaderRules.isBlank(bytes[to - 1])) {
      to--;
    }
    return copyOf(name, bytes, from, to - from, neverIndexed);
  }

  /** The rule that the field violates regardless of other fields; null when no rule is violated. */
  @Nullable String fault() {
    return faulty ? HeaderRules.fault(name, bytes) : null;
  }

  int hash() {
    return hash;
  }

  /** The index of this name and value in HPACK's static table; 0 when the table lacks them. */
  int staticIndex() {
    return staticIndex;
  }

  /** The size of the field as defined in RFC 7541 section 4.1. */
  int size() {
    return name.text().length() + bytes.length + OVERHEAD;
  }

  boolean isSame(int hashOfBytes, HeaderName otherName, byte[] other, int at, int length) {
    return hash == hashOfBytes
        && Arrays.equals(bytes, 0, bytes.length, other, at, at + length)
        && name.isSame(otherName);
  }

  boolean isSame(HeaderField other) {
    return this == other
        || (hash == other.hash && Arrays.equals(bytes, other.bytes) && name.isSame(other.name));
  }

  private static int staticIndex(HeaderName name, byte[] bytes) {
    int first = name.staticIndex();
    if (first == 0) {
      return 0;
    }
    String text = StaticTable.name(first);
    for (int i = first; i <= StaticTable.SIZE && StaticTable.name(i).equals(text); i++) {
      if (Arrays.equals(StaticTable.value(i), bytes)) {
        return i;
      }
    }
    return 0;
  }

  @Override
  public String toString() {
    return name + "=" + value();
  }
}
