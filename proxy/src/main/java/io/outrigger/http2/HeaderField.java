package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One field of a header block. Immutable: an entry of a decoder's table, the lists in which it
 * stands and an entry of an encoder's table may be one object. What HPACK and the rules of RFC 9113
 * want to know of it is found out when it is made, not when it passes.
 */
@AnyThread
public final class HeaderField {
  /** What RFC 7541 section 4.1 adds to the bytes of name and value. */
  static final int OVERHEAD = 32;

  /**
   * What the objects of a field and its name take on the heap at the most, beside their bytes and
   * {@link #OVERHEAD}.
   */
  static final int HEAP_OVERHEAD = 128;

  private final HeaderName name;
  private final byte[] bytes;

  /** The bytes as text, for who asks: nobody reads most values that come only once. */
  private @Nullable AsciiString value;

  private final int hash;
  private final byte staticIndex;
  private final boolean neverIndexed;
  private final boolean faulty;
  private final boolean padded;

  private HeaderField(HeaderName name, byte[] bytes, int hash, boolean neverIndexed) {
    this.name = name;
    this.bytes = bytes;
    this.hash = hash;
    this.neverIndexed = neverIndexed;
    staticIndex = (byte) staticIndex(name, bytes);
    faulty = FieldRules.fault(name, bytes) != null;
    padded = FieldRules.isPadded(name, bytes);
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

  /** The same for bytes that stay the caller's; {@code hash} is theirs. */
  static HeaderField copyOf(HeaderName name, byte[] bytes, int at, int length, int hash) {
    return new HeaderField(name, copy(bytes, at, length), hash, false);
  }

  /** A field that no table may remember (RFC 7541 section 7.1.3). */
  static HeaderField neverIndexed(HeaderName name, byte[] bytes, int at, int length) {
    return new HeaderField(name, copy(bytes, at, length), hash(name, bytes, at, length), true);
  }

  private static byte[] copy(byte[] bytes, int at, int length) {
    return Arrays.copyOfRange(bytes, at, at + length);
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
      value = known; // a race makes another one that is the same
    }
    return known;
  }

  /** The value as it came; nobody changes it. */
  byte[] bytes() {
    return bytes;
  }

  /** Short for the name's. */
  public KnownName known() {
    return name.known();
  }

  /**
   * Whether whoever sent it wants no table on its way to remember it; the next hop is told the same
   * (RFC 7541 section 6.2.3).
   */
  boolean isNeverIndexed() {
    return neverIndexed;
  }

  /** The field without blanks around its value: as lists have it, while tables keep what came. */
  HeaderField stripped() {
    if (!padded) {
      return this;
    }
    int from = 0;
    int to = bytes.length;
    while (from < to && FieldRules.isBlank(bytes[from])) {
      from++;
    }
    while (to > from && FieldRules.isBlank(bytes[to - 1])) {
      to--;
    }
    byte[] rest = copy(bytes, from, to - from);
    return new HeaderField(name, rest, hash(name, rest, 0, rest.length), neverIndexed);
  }

  /** What is wrong with it wherever it stands; null when nothing is. */
  @Nullable String fault() {
    return faulty ? FieldRules.fault(name, bytes) : null;
  }

  int hash() {
    return hash;
  }

  /** The place of this very field in HPACK's static table; 0 when it has none. */
  int staticIndex() {
    return staticIndex;
  }

  /** RFC 7541 section 4.1. */
  int size() {
    return name.text().length() + bytes.length + OVERHEAD;
  }

  boolean isSpelled(HeaderName otherName, byte[] other, int at, int length, int hashOfBytes) {
    return hash == hashOfBytes
        && Arrays.equals(bytes, 0, bytes.length, other, at, at + length)
        && name.isSame(otherName);
  }

  /** Whether name and value are the same. */
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
      if (isSpelled(StaticTable.value(i), bytes)) {
        return i;
      }
    }
    return 0;
  }

  private static boolean isSpelled(String text, byte[] bytes) {
    if (text.length() != bytes.length) {
      return false;
    }
    for (int i = 0; i < bytes.length; i++) {
      if (text.charAt(i) != (bytes[i] & 0xff)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return name + "=" + value();
  }
}
