package io.outrigger.http2;

import io.netty.util.AsciiString;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rules of RFC 9113 section 8 for header lists of requests and responses, and for their fields.
 * A list that breaks a rule causes a stream error and is not passed on. The rules for a single
 * field are checked once, when the {@link HeaderField} is created.
 */
public final class HeaderRules {
  static final AsciiString HEAD = AsciiString.cached("HEAD");
  private static final String BAD_LENGTH = "content-length is not one number";
  private static final String NO_SLASH = ":path does not start with a slash";
  private static final String MISSING = "pseudo-header is missing";
  private static final AsciiString OPTIONS = AsciiString.cached("OPTIONS");
  private static final AsciiString ASTERISK = AsciiString.cached("*");
  private static final AsciiString CONNECT = AsciiString.cached("CONNECT");
  private static final AsciiString NO_CONTENT = AsciiString.cached("204");
  private static final AsciiString NOT_MODIFIED = AsciiString.cached("304");

  private static final byte[] SWITCHING_PROTOCOLS = "101".getBytes(StandardCharsets.US_ASCII);

  /** The maximum number of digits of a content-length; such a number fits into a long. */
  private static final int MAX_LENGTH_DIGITS = 18;

  private static final int REQUIRED_OF_REQUEST =
      KnownName.METHOD.bit() | KnownName.SCHEME.bit() | KnownName.PATH.bit();
  private static final int PSEUDO_OF_REQUEST = REQUIRED_OF_REQUEST | KnownName.AUTHORITY.bit();

  private HeaderRules() {}

  /** The rule that a request's head violates; null when the head is valid. */
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
    if (path.equals(ASTERISK) && !method.equals(OPTIONS)) {
      return NO_SLASH;
    }
    return headers.contains(KnownName.HOST) ? hostFault(headers) : null;
  }

  /** The rule that the head of a final or interim response violates; null for a valid head. */
  static @Nullable String responseFault(HeaderList headers) {
    String fault =
        fieldsFault(headers, KnownName.STATUS.bit(), "unknown pseudo-header in a response");
    return fault == null && !headers.contains(KnownName.STATUS) ? MISSING : fault;
  }

  /** The rule that trailers violate; null when the trailers are valid. */
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
   * RFC 9113 sections 8.3 and 8.1.1: content-length and each permitted pseudo-header may occur at
   * most once. Pseudo-headers precede all regular fields.
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
    // RFC 9110 section 8.6 permits rejecting two content-length fields even if their values agree.
    boolean hasLength = headers.contains(KnownName.CONTENT_LENGTH);
    return hasLength && headers.count(KnownName.CONTENT_LENGTH) > 1 ? BAD_LENGTH : null;
  }

  /** A message with the rule and the name of the field, but without the field's value. */
  private static String of(HeaderField field, String rule) {
    String name = field.name().printable();
    return rule.startsWith(name) ? rule : rule + ": " + name;
  }

  /** A host field beside {@code :authority} is valid but not forwarded (A41). */
  private static @Nullable String hostFault(HeaderList headers) {
    if (headers.count(KnownName.HOST) > 1) {
      return "host appears twice";
    }
    if (headers.contains(KnownName.AUTHORITY)) {
      return null;
    }
    HeaderField host = headers.find(KnownName.HOST);
    return host == null || isGraphic(host.bytes()) ? null : "host has a forbidden character";
  }

  // A single field.

  /** The rule that a field with this name and value violates; null when the field is valid. */
  static @Nullable String fault(HeaderName name, byte[] value) {
    if (name.fault() != null) {
      return name.fault();
    }
    String fault = faultOfKnown(name.known(), value);
    return fault == null ? valueFault(value) : fault;
  }

  private static @Nullable String faultOfKnown(KnownName name, byte[] value) {
    return switch (name) {
      case METHOD -> isToken(value) ? null : ":method is not a token";
      case SCHEME -> isScheme(value) ? null : ":scheme is not a scheme";
      case PATH -> pathFault(value);
      case AUTHORITY -> authorityFault(value);
      case STATUS -> statusFault(value);
      case TE ->
          AsciiString.contentEqualsIgnoreCase(new AsciiString(value, false), "trailers")
              ? null
              : "te is not trailers";
      case CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TRANSFER_ENCODING, UPGRADE ->
          "connection-specific field"; // section 8.2.2
      case CONTENT_LENGTH ->
          value.length == 0 || value.length > MAX_LENGTH_DIGITS || !isDigits(value)
              ? BAD_LENGTH
              : null;
      default -> null;
    };
  }

  /** The rule that a path violates; {@link #requestFault} permits the path "*" only for OPTIONS. */
  private static @Nullable String pathFault(byte[] path) {
    if (path.length == 1 && path[0] == '*') {
      return null;
    }
    if (path.length == 0 || path[0] != '/') {
      return NO_SLASH;
    }
    return !isGraphic(path) || has(path, '#') ? ":path has a forbidden character" : null;
  }

  /** RFC 9110 section 4.2.1: a URI without a host must be rejected. */
  private static @Nullable String authorityFault(byte[] authority) {
    if (authority.length == 0) {
      return ":authority is empty";
    }
    return !isGraphic(authority) || has(authority, '@')
        ? ":authority has a forbidden character"
        : null;
  }

  /** HTTP/2 does not support status 101 (RFC 9113 section 8.6). */
  private static @Nullable String statusFault(byte[] status) {
    if (status.length != 3 || status[0] < '1' || status[0] > '9') {
      return ":status is not a number";
    }
    return !isDigits(status) || Arrays.equals(status, SWITCHING_PROTOCOLS)
        ? ":status is not allowed"
        : null;
  }

  /**
   * Whether blanks at the ends of a value must be stripped. RFC 9113 section 8.2.1 forbids blanks
   * around a value, and gRPC permits a receiver to strip them. A {@code grpc-message} may begin or
   * end with a space and is left unchanged, because gRPC's percent-encoding does not encode spaces.
   */
  static boolean isPadded(HeaderName name, byte[] value) {
    return value.length > 0
        && (isBlank(value[0]) || isBlank(value[value.length - 1]))
        && !name.isPseudo()
        && name.known() != KnownName.GRPC_MESSAGE;
  }

  static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  /** RFC 9113 section 8.2.1: the rule that a value violates; null when the value is valid. */
  private static @Nullable String valueFault(byte[] value) {
    for (byte b : value) {
      if (b == 0 || b == '\r' || b == '\n') {
        return "field value has a forbidden character";
      }
    }
    return null;
  }

  private static boolean isDigits(byte[] text) {
    for (byte b : text) {
      if (b < '0' || b > '9') {
        return false;
      }
    }
    return true;
  }

  /** Whether {@code text} is a token (RFC 9110 section 5.6.2). */
  private static boolean isToken(byte[] text) {
    for (byte b : text) {
      if (!HeaderName.isNameByte(b) && (b < 'A' || b > 'Z')) {
        return false;
      }
    }
    return text.length > 0;
  }

  /** Whether {@code text} is the scheme of a URI (RFC 3986 section 3.1). */
  private static boolean isScheme(byte[] text) {
    for (byte b : text) {
      if (!isLetterOrDigit(b) && b != '+' && b != '-' && b != '.') {
        return false;
      }
    }
    return text.length > 0 && (text[0] | 0x20) >= 'a';
  }

  private static boolean isLetterOrDigit(byte b) {
    return (b >= '0' && b <= '9') || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
  }

  /** Whether {@code text} has neither control characters nor spaces. */
  private static boolean isGraphic(byte[] text) {
    for (byte b : text) {
      if ((b & 0xff) <= ' ' || b == 0x7f) {
        return false;
      }
    }
    return true;
  }

  private static boolean has(byte[] text, int wanted) {
    for (byte b : text) {
      if (b == wanted) {
        return true;
      }
    }
    return false;
  }
}
