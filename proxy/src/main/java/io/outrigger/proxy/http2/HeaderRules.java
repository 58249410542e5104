package io.outrigger.proxy.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * What RFC 9113 section 8 allows in a header list, from either side. A list that breaks a rule
 * makes its message malformed: a stream error, and nothing of it is passed on.
 */
@AnyThread
final class HeaderRules {
  static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
  static final AsciiString HEAD = AsciiString.cached("HEAD");
  private static final AsciiString GRPC_MESSAGE = AsciiString.cached("grpc-message");
  private static final AsciiString HOST = AsciiString.cached("host");
  private static final AsciiString TE = AsciiString.cached("te");
  private static final AsciiString TRAILERS = AsciiString.cached("trailers");
  private static final AsciiString OPTIONS = AsciiString.cached("OPTIONS");
  private static final AsciiString CONNECT = AsciiString.cached("CONNECT");
  private static final AsciiString ASTERISK = AsciiString.cached("*");
  private static final AsciiString SWITCHING_PROTOCOLS = AsciiString.cached("101");
  private static final AsciiString NO_CONTENT = AsciiString.cached("204");
  private static final AsciiString NOT_MODIFIED = AsciiString.cached("304");

  /** Section 8.2.2: they speak of a connection that HTTP/2 does not have. */
  private static final AsciiString[] CONNECTION_FIELDS = {
    AsciiString.cached("connection"),
    AsciiString.cached("keep-alive"),
    AsciiString.cached("proxy-connection"),
    AsciiString.cached("transfer-encoding"),
    AsciiString.cached("upgrade"),
  };

  private static final String BLANK_END = "field value starts or ends with white space";

  private static final int METHOD_BIT = 1;
  private static final int SCHEME_BIT = 2;
  private static final int AUTHORITY_BIT = 4;
  private static final int PATH_BIT = 8;
  private static final int STATUS_BIT = 16;
  private static final int REQUIRED_OF_REQUEST = METHOD_BIT | SCHEME_BIT | PATH_BIT;

  /** Lower-case token characters (RFC 9110 section 5.6.2). */
  private static final boolean[] NAME_BYTE = new boolean[256];

  static {
    for (char c : "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".toCharArray()) {
      NAME_BYTE[c] = true;
    }
  }

  private HeaderRules() {}

  /** What is wrong with a request's head; null when nothing is. */
  static @Nullable String requestFault(HeaderList headers) {
    int seen = 0;
    for (int i = 0; i < headers.size(); i++) {
      AsciiString name = headers.name(i);
      if (isPseudo(name)) {
        int bit = pseudoBit(name);
        if ((bit & (REQUIRED_OF_REQUEST | AUTHORITY_BIT)) == 0) {
          return "unknown pseudo-header in a request";
        }
        String fault = pseudoFault(headers, i, seen, bit);
        if (fault != null) {
          return fault;
        }
        seen |= bit;
      } else {
        String fault = fieldFault(headers, i);
        if (fault != null) {
          return fault;
        }
      }
    }
    AsciiString method = headers.get(HeaderList.METHOD);
    if (CONNECT.equals(method)) {
      return "CONNECT is not supported";
    }
    if ((seen & REQUIRED_OF_REQUEST) != REQUIRED_OF_REQUEST || method == null) {
      return "pseudo-header is missing";
    }
    return requestLineFault(headers, method);
  }

  /** What is wrong with a response's head, 1xx included; null when nothing is. */
  static @Nullable String responseFault(HeaderList headers) {
    int seen = 0;
    for (int i = 0; i < headers.size(); i++) {
      AsciiString name = headers.name(i);
      if (isPseudo(name)) {
        int bit = pseudoBit(name);
        if (bit != STATUS_BIT) {
          return "unknown pseudo-header in a response";
        }
        String fault = pseudoFault(headers, i, seen, bit);
        if (fault != null) {
          return fault;
        }
        seen |= bit;
      } else {
        String fault = fieldFault(headers, i);
        if (fault != null) {
          return fault;
        }
      }
    }
    AsciiString status = headers.get(HeaderList.STATUS);
    if (status == null) {
      return "pseudo-header is missing";
    }
    if (status.length() != 3 || status.charAt(0) < '1' || status.charAt(0) > '9') {
      return ":status is not a number";
    }
    if (!isDigits(status) || status.equals(SWITCHING_PROTOCOLS)) {
      return ":status is not allowed";
    }
    return null;
  }

  /** What is wrong with trailers; null when nothing is. */
  static @Nullable String trailersFault(HeaderList headers) {
    for (int i = 0; i < headers.size(); i++) {
      if (isPseudo(headers.name(i))) {
        return "pseudo-header in trailers";
      }
      String fault = fieldFault(headers, i);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  /** Whether a valid response head is an interim one (RFC 9110 section 15.2). */
  static boolean isInterim(HeaderList headers) {
    AsciiString status = headers.get(HeaderList.STATUS);
    return status != null && status.charAt(0) == '1';
  }

  /** The content-length of a valid head; -1 when it has none. */
  static long contentLength(HeaderList headers) {
    AsciiString value = headers.get(CONTENT_LENGTH);
    return value == null ? -1 : value.parseLong();
  }

  /** Whether a valid response head ends a message that has no content whatever its length says. */
  static boolean hasNoContent(HeaderList headers) {
    AsciiString status = headers.get(HeaderList.STATUS);
    return status != null && (status.equals(NOT_MODIFIED) || status.equals(NO_CONTENT));
  }

  private static boolean isPseudo(AsciiString name) {
    return !name.isEmpty() && name.byteAt(0) == ':';
  }

  /** Names are told by their length before they are compared. */
  private static int pseudoBit(AsciiString name) {
    switch (name.length()) {
      case 5 -> {
        return name.equals(HeaderList.PATH) ? PATH_BIT : 0;
      }
      case 7 -> {
        if (name.equals(HeaderList.STATUS)) {
          return STATUS_BIT;
        }
        if (name.equals(HeaderList.METHOD)) {
          return METHOD_BIT;
        }
        return name.equals(HeaderList.SCHEME) ? SCHEME_BIT : 0;
      }
      case 10 -> {
        return name.equals(HeaderList.AUTHORITY) ? AUTHORITY_BIT : 0;
      }
      default -> {
        return 0;
      }
    }
  }

  private static @Nullable String pseudoFault(HeaderList headers, int index, int seen, int bit) {
    if ((seen & bit) != 0) {
      return "pseudo-header appears twice";
    }
    if (index != Integer.bitCount(seen)) {
      return "pseudo-header after a field";
    }
    AsciiString value = headers.value(index);
    return hasBlankEnd(value) ? BLANK_END : valueFault(value);
  }

  private static @Nullable String requestLineFault(HeaderList headers, AsciiString method) {
    AsciiString path = headers.get(HeaderList.PATH);
    AsciiString scheme = headers.get(HeaderList.SCHEME);
    if (path == null || scheme == null) {
      return "pseudo-header is missing";
    }
    if (method.isEmpty() || !isGraphic(method) || scheme.isEmpty() || !isGraphic(scheme)) {
      return ":method or :scheme is not a token";
    }
    boolean asterisk = path.equals(ASTERISK) && method.equals(OPTIONS);
    if (!asterisk && (path.isEmpty() || path.byteAt(0) != '/')) {
      return ":path does not start with a slash";
    }
    if (!isGraphic(path) || path.indexOf('#', 0) >= 0) {
      return ":path has a forbidden character";
    }
    AsciiString authority = headers.get(HeaderList.AUTHORITY);
    if (authority != null && (!isGraphic(authority) || authority.indexOf('@', 0) >= 0)) {
      return ":authority has a forbidden character";
    }
    return hostFault(headers, authority);
  }

  private static @Nullable String hostFault(HeaderList headers, @Nullable AsciiString authority) {
    int host = headers.indexOf(HOST, 0);
    if (host < 0) {
      return null;
    }
    if (headers.indexOf(HOST, host + 1) >= 0) {
      return "host appears twice";
    }
    AsciiString value = headers.value(host);
    if (!isGraphic(value) || (authority != null && !authority.contentEqualsIgnoreCase(value))) {
      return "host differs from :authority";
    }
    return null;
  }

  private static @Nullable String fieldFault(HeaderList headers, int index) {
    AsciiString name = headers.name(index);
    byte[] bytes = name.array();
    int end = name.arrayOffset() + name.length();
    for (int i = name.arrayOffset(); i < end; i++) {
      if (!NAME_BYTE[bytes[i] & 0xff]) {
        return "field name has a forbidden character";
      }
    }
    AsciiString value = headers.value(index);
    switch (name.length()) {
      case 0 -> {
        return "field name is empty";
      }
      case 2 -> {
        if (name.equals(TE) && !value.contentEqualsIgnoreCase(TRAILERS)) {
          return "te is not trailers";
        }
      }
      case 7, 10, 16, 17 -> {
        for (AsciiString forbidden : CONNECTION_FIELDS) {
          if (name.equals(forbidden)) {
            return "connection-specific field";
          }
        }
      }
      case 14 -> {
        if (name.equals(CONTENT_LENGTH) && !isContentLength(headers, value)) {
          return "content-length is not one number";
        }
      }
      default -> {}
    }
    return hasBlankEnd(value) && !name.equals(GRPC_MESSAGE) ? BLANK_END : valueFault(value);
  }

  /**
   * Section 8.2.1 forbids it; but gRPC's Percent-Encoded leaves spaces as they are, so a {@code
   * grpc-message} may begin or end with one, and gRPC's peers take it.
   */
  private static boolean hasBlankEnd(AsciiString value) {
    return !value.isEmpty()
        && (isBlank(value.byteAt(0)) || isBlank(value.byteAt(value.length() - 1)));
  }

  private static boolean isContentLength(HeaderList headers, AsciiString value) {
    return !value.isEmpty()
        && value.length() <= 18
        && isDigits(value)
        && value.equals(headers.get(CONTENT_LENGTH));
  }

  /** Section 8.2.1. */
  private static @Nullable String valueFault(AsciiString value) {
    byte[] bytes = value.array();
    int end = value.arrayOffset() + value.length();
    for (int i = value.arrayOffset(); i < end; i++) {
      byte b = bytes[i];
      if (b == 0 || b == '\r' || b == '\n') {
        return "field value has a forbidden character";
      }
    }
    return null;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }

  private static boolean isDigits(AsciiString text) {
    for (int i = 0; i < text.length(); i++) {
      byte b = text.byteAt(i);
      if (b < '0' || b > '9') {
        return false;
      }
    }
    return true;
  }

  /** Neither control characters nor spaces. */
  private static boolean isGraphic(AsciiString text) {
    byte[] bytes = text.array();
    int end = text.arrayOffset() + text.length();
    for (int i = text.arrayOffset(); i < end; i++) {
      int b = bytes[i] & 0xff;
      if (b <= ' ' || b == 0x7f) {
        return false;
      }
    }
    return true;
  }
}
