package io.outrigger.http2;

import io.netty.util.AsciiString;
import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * What RFC 9113 section 8 allows in a header list, from either side. A list that breaks a rule
 * makes its message malformed: a stream error, and nothing of it is passed on. What concerns one
 * field alone each {@link HeaderField} knows already.
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

  // What a list is remembered to obey: it may come again, in another place.
  private static final int OF_REQUEST = 1;
  private static final int OF_RESPONSE = 2;
  private static final int OF_TRAILERS = 4;

  private HeaderRules() {}

  /** What is wrong with a request's head; null when nothing is. */
  public static @Nullable String requestFault(HeaderList headers) {
    if (headers.isKnownToObey(OF_REQUEST)) {
      return null;
    }
    String fault = newRequestFault(headers);
    if (fault == null) {
      headers.obeys(OF_REQUEST);
    }
    return fault;
  }

  private static @Nullable String newRequestFault(HeaderList headers) {
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

  /** What is wrong with a response's head, 1xx included; null when nothing is. */
  static @Nullable String responseFault(HeaderList headers) {
    if (headers.isKnownToObey(OF_RESPONSE)) {
      return null;
    }
    String fault =
        fieldsFault(headers, KnownName.STATUS.bit(), "unknown pseudo-header in a response");
    if (fault == null && !headers.contains(KnownName.STATUS)) {
      return MISSING;
    }
    if (fault == null) {
      headers.obeys(OF_RESPONSE);
    }
    return fault;
  }

  /** What is wrong with trailers; null when nothing is. */
  static @Nullable String trailersFault(HeaderList headers) {
    if (headers.isKnownToObey(OF_TRAILERS)) {
      return null;
    }
    String fault = fieldsFault(headers, 0, "pseudo-header in trailers");
    if (fault == null) {
      headers.obeys(OF_TRAILERS);
    }
    return fault;
  }

  /** Whether a valid response head is an interim one (RFC 9110 section 15.2). */
  static boolean isInterim(HeaderList headers) {
    AsciiString status = headers.get(KnownName.STATUS);
    return status != null && status.charAt(0) == '1';
  }

  /** The content-length of a valid head; -1 when it has none. */
  static long contentLength(HeaderList headers) {
    AsciiString value = headers.get(KnownName.CONTENT_LENGTH);
    return value == null ? -1 : value.parseLong();
  }

  /** Whether a valid response head ends a message that has no content whatever its length says. */
  static boolean hasNoContent(HeaderList headers) {
    AsciiString status = headers.get(KnownName.STATUS);
    return status != null && (status.equals(NOT_MODIFIED) || status.equals(NO_CONTENT));
  }

  /** Section 8.3: those of {@code pseudo} may stand first, each once; then regular fields. */
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
    return headers.contains(KnownName.CONTENT_LENGTH) ? lengthFault(headers) : null;
  }

  /** The rule and the name of the field that breaks it; never the value. */
  private static String of(HeaderField field, String rule) {
    String name = field.name().printable();
    return rule.startsWith(name) ? rule : rule + ": " + name;
  }

  /** Section 8.1.1; RFC 9110 section 8.6: the same length twice may be refused as well. */
  private static @Nullable String lengthFault(HeaderList headers) {
    return headers.count(KnownName.CONTENT_LENGTH) > 1 ? BAD_LENGTH : null;
  }

  /** Section 8.3.1. Beside {@code :authority} it means nothing, and goes no further (A41). */
  private static @Nullable String hostFault(HeaderList headers) {
    if (headers.contains(KnownName.AUTHORITY)) {
      return null;
    }
    if (headers.count(KnownName.HOST) > 1) {
      return "host appears twice";
    }
    HeaderField host = headers.find(KnownName.HOST);
    return host == null || FieldRules.isGraphic(host.bytes())
        ? null
        : "host has a forbidden character";
  }
}
