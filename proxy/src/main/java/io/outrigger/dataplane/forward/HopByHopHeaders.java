package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;

/**
 * Converts the header fields of one hop to those of the next hop. Connection-specific fields are
 * removed. {@code :authority} and {@code :scheme} are rewritten. Fields that the proxy does not
 * interpret are forwarded unchanged and in order (SC-29, SC-30, SC-32).
 */
final class HopByHopHeaders {
  private static final HeaderField HTTP = HeaderField.of(KnownName.SCHEME, "http");
  private static final HeaderField HTTPS = HeaderField.of(KnownName.SCHEME, "https");

  private static final AsciiString TRAILERS = AsciiString.cached("trailers");

  /**
   * Fields that are removed from trailers. RFC 9110 section 6.5.1 forbids trailers for routing,
   * framing and authentication; {@code x-outrigger-} fields are the proxy's own.
   */
  private static final KnownName[] FORBIDDEN_IN_TRAILERS = {
    KnownName.HOST,
    KnownName.CONTENT_LENGTH,
    KnownName.TE,
    KnownName.FORWARDED_CLIENT_CERT,
    KnownName.WAIT_FOR_READY,
    KnownName.LOCAL
  };

  private HopByHopHeaders() {}

  /**
   * Sends the request's header block to the backend.
   *
   * @param authority replaces the app's {@code :authority}
   * @param encrypted whether the connection to the backend uses TLS
   * @param timeoutNanos the {@code grpc-timeout} to send (A31-37), or {@link EffectiveTimeout#NONE}
   *     to send no {@code grpc-timeout}
   * @param previousAttempts the number of previous attempts that the retry policy counts (A44-11)
   * @param context the fields of a trace context, which replace the app's fields of the same names
   * @return see {@link #send(Http2Stream, HeaderList, boolean)}
   */
  static long send(
      Http2Stream upstream,
      boolean endStream,
      RequestHead head,
      HeaderField authority,
      boolean encrypted,
      long timeoutNanos,
      int previousAttempts,
      HeaderList context) {
    HeaderField scheme = encrypted ? HTTPS : HTTP; // RFC 9113 section 8.3.1
    boolean recurs = head.headers().recurs() && previousAttempts == 0 && context.size() == 0;
    HeaderList list = recurs ? head.upstream(authority, scheme, timeoutNanos) : null;
    if (list == null) {
      var fields = HeaderList.builder(head.headers().size() + context.size() + 3);
      collect(fields, head, authority, scheme, timeoutNanos, previousAttempts, context);
      list = recurs ? fields.buildRecurring() : fields.build();
      if (recurs) {
        head.upstream(authority, scheme, timeoutNanos, list);
      }
    }
    return send(upstream, list, endStream);
  }

  /**
   * Sends a header list, unless the list is larger than the peer accepts.
   *
   * @return 0 when the list was sent; otherwise the size of the list
   */
  static long send(Http2Stream peer, HeaderList list, boolean endStream) {
    long bytes = list.listBytes();
    if (bytes > peer.maxHeaderListBytes()) {
      return bytes;
    }
    peer.sendHeaders(list, endStream);
    return 0;
  }

  /** Returns a copy of trailers without the fields in {@link #FORBIDDEN_IN_TRAILERS}. */
  static HeaderList trailers(HeaderList trailers) {
    return trailers.without(FORBIDDEN_IN_TRAILERS);
  }

  private static void collect(
      HeaderList.Builder to,
      RequestHead head,
      HeaderField authority,
      HeaderField scheme,
      long timeoutNanos,
      int previousAttempts,
      HeaderList context) {
    HeaderList from = head.headers();
    boolean hasAuthority = false;
    for (int i = 0; i < from.size(); i++) {
      HeaderField field = from.field(i);
      if (!hasAuthority && (!field.name().isPseudo() || field.known() == KnownName.AUTHORITY)) {
        to.add(authority);
        hasAuthority = true;
      }
      switch (field.known()) {
        case AUTHORITY, // added before the first regular field
            HOST,
            CONNECTION,
            KEEP_ALIVE,
            PROXY_CONNECTION,
            TRANSFER_ENCODING,
            UPGRADE,
            WAIT_FOR_READY -> {}
        case SCHEME -> to.add(scheme);
        case TE -> {
          if (field.value().contentEqualsIgnoreCase(TRAILERS)) {
            to.add(field);
          }
        }
        case GRPC_TIMEOUT, PREVIOUS_ATTEMPTS -> { // SC-31
          if (!head.isGrpc()) {
            to.add(field);
          }
        }
        default -> {
          if (context.size() == 0 || !context.contains(field.name().text())) {
            to.add(field);
          }
        }
      }
    }
    if (!hasAuthority) {
      to.add(authority);
    }
    if (timeoutNanos != EffectiveTimeout.NONE) {
      to.add(HeaderField.of(KnownName.GRPC_TIMEOUT, GrpcTimeout.format(timeoutNanos)));
    }
    if (previousAttempts > 0) {
      to.add(HeaderField.of(KnownName.PREVIOUS_ATTEMPTS, Integer.toString(previousAttempts)));
    }
    for (int i = 0; i < context.size(); i++) {
      to.add(context.field(i));
    }
  }
}
