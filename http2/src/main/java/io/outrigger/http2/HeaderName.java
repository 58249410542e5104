package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The name of a field with its properties, computed once. Each {@link KnownName} and each name in
 * HPACK's static table has exactly one {@code HeaderName} object; other names may have several.
 */
@AnyThread
public final class HeaderName {
  private static final String EMPTY = "field name is empty";
  private static final String FORBIDDEN = "field name has a forbidden character";

  private static final boolean[] NAME_BYTE = new boolean[256];

  /** Names whose values are never indexed; all of them are in the static table. */
  private static final Set<String> SECRETS =
      Set.of("authorization", "cookie", "proxy-authorization", "set-cookie");

  /** One shared object for each {@link KnownName} and each name in HPACK's static table. */
  private static final Map<AsciiString, HeaderName> SHARED = new HashMap<>();

  private static final Map<KnownName, HeaderName> KNOWN = new EnumMap<>(KnownName.class);

  static {
    for (char c : "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".toCharArray()) {
      NAME_BYTE[c] = true;
    }
    for (KnownName known : KnownName.values()) {
      if (known != KnownName.OTHER) {
        KNOWN.put(known, share(known.text(), known));
      }
    }
    for (int index = 1; index <= StaticTable.SIZE; index++) {
      share(StaticTable.name(index), KnownName.OTHER);
    }
  }

  /** The maximum length of a name in messages; longer names are cut. */
  private static final int MAX_PRINTED = 64;

  private final AsciiString text;
  private final int hash;
  private final KnownName known;
  private final int staticIndex;
  private final boolean pseudo;
  private final boolean secret;
  private final @Nullable String fault;

  private HeaderName(AsciiString text, KnownName known, int staticIndex) {
    this.text = text;
    hash = ByteHash.of(text.array(), 0, text.length());
    this.known = known;
    this.staticIndex = staticIndex;
    pseudo = text.length() > 0 && text.charAt(0) == ':';
    secret = staticIndex > 0 && SECRETS.contains(StaticTable.name(staticIndex));
    fault = pseudo ? null : faultOf(text.array());
  }

  /** The name with the given text. {@link #fault} reports an invalid name. */
  public static HeaderName of(AsciiString text) {
    HeaderName shared = SHARED.get(text);
    return shared == null ? of(text.array(), text.arrayOffset(), text.length()) : shared;
  }

  public static HeaderName of(KnownName known) {
    return requireNonNull(KNOWN.get(known));
  }

  /** The name with the given bytes, which are copied. */
  static HeaderName of(byte[] bytes, int at, int length) {
    var text = new AsciiString(bytes, at, length, true);
    HeaderName shared = SHARED.get(text);
    return shared == null ? new HeaderName(text, unshared(text), 0) : shared;
  }

  /**
   * Returns {@link KnownName#FORWARDED_CLIENT_CERT} if {@code text} is that name with underscores
   * in place of hyphens, otherwise {@link KnownName#OTHER}. A proxy names its caller in {@code
   * x-forwarded-client-cert}; CGI (RFC 3875 section 4.1.18), WSGI, Rack and PHP treat underscores
   * and hyphens alike.
   */
  private static KnownName unshared(AsciiString text) {
    String forwarded = KnownName.FORWARDED_CLIENT_CERT.text();
    return text.length() == forwarded.length()
            && forwarded.contentEquals(text.toString().replace('_', '-'))
        ? KnownName.FORWARDED_CLIENT_CERT
        : KnownName.OTHER;
  }

  private static HeaderName share(String name, KnownName known) {
    return SHARED.computeIfAbsent(
        new AsciiString(name), text -> new HeaderName(text, known, StaticTable.firstIndexOf(name)));
  }

  public AsciiString text() {
    return text;
  }

  /** The bytes of the name; callers do not change the array. */
  byte[] bytes() {
    return text.array();
  }

  public KnownName known() {
    return known;
  }

  /** Whether the name begins with a colon (RFC 9113 section 8.3). */
  public boolean isPseudo() {
    return pseudo;
  }

  /** The name for messages, of limited length and without unprintable characters. */
  String printable() {
    String shown = text.toString().replaceAll("[^!-~]", "?");
    return shown.length() <= MAX_PRINTED ? shown : shown.substring(0, MAX_PRINTED) + "...";
  }

  /** The rule that a regular field with this name violates; null when the name is valid. */
  @Nullable String fault() {
    return fault;
  }

  int hash() {
    return hash;
  }

  /**
   * Whether the values of this name are secrets of one user (RFC 7541 section 7.1.3). If an HPACK
   * table contained a secret, another user of the connection could guess the secret from the size
   * of header blocks.
   */
  boolean isSecret() {
    return secret;
  }

  /** The index of the first entry with this name in HPACK's static table; 0 without an entry. */
  int staticIndex() {
    return staticIndex;
  }

  boolean isSame(int hashOfBytes, byte[] bytes, int at, int length) {
    return hash == hashOfBytes
        && Arrays.equals(text.array(), 0, text.length(), bytes, at, at + length);
  }

  boolean isSame(HeaderName other) {
    return this == other || (hash == other.hash && Arrays.equals(text.array(), other.text.array()));
  }

  /** Whether {@code b} is a lower-case token character (RFC 9110 5.6.2, RFC 9113 8.2.1). */
  static boolean isNameByte(byte b) {
    return NAME_BYTE[b & 0xff];
  }

  private static @Nullable String faultOf(byte[] name) {
    for (byte b : name) {
      if (!isNameByte(b)) {
        return FORBIDDEN;
      }
    }
    return name.length == 0 ? EMPTY : null;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
