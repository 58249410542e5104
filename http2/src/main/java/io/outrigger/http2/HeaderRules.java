package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * The rules of RFC 9113 section 8 for header lists of requests and responses. A list that breaks a
 * rule makes its message malformed: this is a stream error, and the list is not passed on. The
 * rules for a single field were checked when the {@link HeaderField} was created.
 */
@AnyThread
public final class HeaderRules {
  static final AsciiString HEAD = AsciiString.cached("HEAD");
  static final String BAD_LENGTH = "content-length is not one number";
  static final String NO_SLASH = ":path does not start with a slash";
  private static final String MISSING = "pseudo-header is missing";
  private static final AsciiString OPTIONS = AsciiString.cached("OPTIONS");
  private static final AsciiString CONNECT = AsciiString.cached("CONNECT");
  private static final AsciiString NO_CONTENT = AsciiString.cached("204");
  private static final AsciiString NOT_MODIFIED = AsciiString.cached("304");

  private static final int REQUIRED_OF_REQUEST =
      KnownName.METHOD.bit() | KnownName.SCHEME.bit() | KnownName.PATH.bit();
  private static final int PSEUDO_OF_REQUEST = REQUIRED_OF_REQUEST | KnownName.AUTHORITY.bit();

  private HeaderRules() {}

  /** The rule that a request's head breaks; null when it breaks none. */
  public static @Nullable String requestFault(HeaderList headers) {
    String fault = fieldsFault(headers, PSEUDO_OF_REQUEST, "unknown pseudo-header in a request");
    if (fault != null) {
      return fault;
    }
    AsciiString method = headers.get(KnownName.METHOD);
    AsciiString path = headers.get(KnownName.PATH);
    if (CONNECT.equals(method)) {
      return "CONNECT is not supported";
    }
    if (method == null || path == null || !headers.contains(KnownName.SCHEME)) {
      return MISSING;
    }
    if (path.equals(FieldRules.ASTERISK) && !method.equals(OPTIONS)) {
      return NO_SLASH;
    }
    return headers.contains(KnownName.HOST) ? hostFault(headers) : null;
  }

  /** The rule that the head of a final or interim response breaks; null when it breaks none. */
  static @Nullable String responseFault(HeaderList headers) {
    String fault =
        fieldsFault(headers, KnownName.STATUS.bit(), "unknown pseudo-header in a response");
    return fault == null && !headers.contains(KnownName.STATUS) ? MISSING : fault;
  }

  /** The rule that trailers break; null when they break none. */
  static @Nullable String trailersFault(HeaderList headers) {
    return fieldsFault(headers, 0, "pseudo-header in trailers");
  }

  /** Whether a valid response head is interim (RFC 9110 section 15.2). */
  static boolean isInterim(HeaderList headers) {
    AsciiString status = headers.get(KnownName.STATUS);
    return status != null && status.charAt(0) == '1';
  }

  /** The content-length of a valid head; -1 when the field is missing. */
  static long contentLength(HeaderList headers) {
    AsciiString value = headers.get(KnownName.CONTENT_LENGTH);
    return value == null ? -1 : value.parseLong();
  }

  /** Whether a response with this valid head has no content, whatever its content-length is. */
  static boolean hasNoContent(HeaderList headers) {
    AsciiString status = headers.get(KnownName.STATUS);
    return status != null && (status.equals(NOT_MODIFIED) || status.equals(NO_CONTENT));
  }

  /**
   * Sections 8.3 and 8.1.1: the pseudo-headers in {@code pseudo} may each occur once, before all
   * regular fields, and content-length may occur once.
   */
  private static @Nullable String fieldsFault(HeaderList headers, int pseudo, String unknown) {
    int seen = 0;
    for (int i = 0; i < headers.size(); i++) {
      HeaderField field = headers.field(i);
      if (field.name().isPseudo()) {
        int bit = field.known().bit();
        if ((bit & pseudo) == 0) {
          return of(field, unknown);
        }
        if ((seen & bit) != 0) {
          return of(field, "pseudo-header appears twice");
        }
        if (i != Integer.bitCount(seen)) {
          return of(field, "pseudo-header after a field");
        }
        seen |= bit;
      }
      String fault = field.fault();
      if (fault != null) {
        return of(field, fault);
      }
    }
    // RFC 9110 section 8.6 permits to reject a content-length that occurs twice with one value.
    boolean hasLength = headers.contains(KnownName.CONTENT_LENGTH);
    return hasLength && headers.count(KnownName.CONTENT_LENGTH) > 1 ? BAD_LENGTH : null;
  }

  /**
   * A message with the rule and the name of the field that breaks it, without the field's value.
   */
  private static String of(HeaderField field, String rule) {
    String name = field.name().printable();
    return rule.startsWith(name) ? rule : rule + ": " + name;
  }

  /**
   * Section 8.3.1. A host field beside {@code :authority} is ignored and not forwarded (A41), so
   * its value is not checked.
   */
  private static @Nullable String hostFault(HeaderList headers) {
    if (headers.count(KnownName.HOST) > 1) {
      return "host appears twice";
    }
    if (headers.contains(KnownName.AUTHORITY)) {
      return null;
    }
    HeaderField host = headers.find(KnownName.HOST);
    return host == null || FieldRules.isGraphic(host.bytes())
        ? null
        : "host has a forbidden character";
  }
}
