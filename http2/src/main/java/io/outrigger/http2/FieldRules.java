package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rules of RFC 9113 section 8 for a single field. Each rule is checked once per {@link
 * HeaderField}. {@link HeaderRules} has the rules for a list of fields.
 */
@AnyThread
final class FieldRules {
  static final AsciiString ASTERISK = AsciiString.cached("*");
  private static final byte[] SWITCHING_PROTOCOLS = "101".getBytes(StandardCharsets.US_ASCII);

  /** The maximum number of digits of a content-length; such a number fits into a long. */
  private static final int MAX_LENGTH_DIGITS = 18;

  private FieldRules() {}

  /** The rule that a field of this name and value breaks; null when it breaks none. */
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
              ? HeaderRules.BAD_LENGTH
              : null;
      default -> null;
    };
  }

  /** Section 8.3.1. {@link HeaderRules} checks that an asterisk is used with OPTIONS only. */
  private static @Nullable String pathFault(byte[] path) {
    if (path.length == 1 && path[0] == '*') {
      return null;
    }
    if (path.length == 0 || path[0] != '/') {
      return HeaderRules.NO_SLASH;
    }
    return !isGraphic(path) || has(path, '#') ? ":path has a forbidden character" : null;
  }

  /** Section 8.3.1. RFC 9110 section 4.2.1: a URI without a host must be rejected. */
  private static @Nullable String authorityFault(byte[] authority) {
    if (authority.length == 0) {
      return ":authority is empty";
    }
    return !isGraphic(authority) || has(authority, '@')
        ? ":authority has a forbidden character"
        : null;
  }

  /** Section 8.6 does not support status 101. */
  private static @Nullable String statusFault(byte[] status) {
    if (status.length != 3 || status[0] < '1' || status[0] > '9') {
      return ":status is not a number";
    }
    return !isDigits(status) || Arrays.equals(status, SWITCHING_PROTOCOLS)
        ? ":status is not allowed"
        : null;
  }

  /**
   * Whether blanks at the ends of {@code value} must be stripped. Section 8.2.1 forbids such
   * blanks, and gRPC permits to strip them. A {@code grpc-message} is left unchanged, because
   * gRPC's Percent-Encoded does not encode spaces, so the message may begin or end with a space.
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

  /** Section 8.2.1: the rule that a value breaks; null when it breaks none. */
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
  static boolean isGraphic(byte[] text) {
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
