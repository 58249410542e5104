package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.calls.CallRequest;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import org.jspecify.annotations.Nullable;

/**
 * A request's header block, read once: what the proxy itself must know of it. Requests whose header
 * list recurs share one.
 */
@LoopConfined
public final class RequestHead implements CallRequest {
  private static final AsciiString TRUE = AsciiString.cached("true");
  private static final String COOKIE = "cookie"; // its crumbs are one list: RFC 9113 section 8.2.3

  private final HeaderList headers;
  private AsciiString method = AsciiString.EMPTY_STRING;
  private AsciiString path = AsciiString.EMPTY_STRING;
  private @Nullable HeaderField authority;
  private @Nullable AsciiString timeout;
  private boolean grpc;
  private boolean waitForReady;

  /** What went upstream last; null before, and for a head that does not recur. */
  private @Nullable Upstream upstream;

  /** A list that goes upstream, and the fields that were set in it. */
  private record Upstream(
      HeaderList list, HeaderField authority, HeaderField scheme, @Nullable HeaderField timeout) {}

  private RequestHead(HeaderList headers) {
    this.headers = headers;
  }

  static RequestHead of(HeaderList headers) {
    var head = new RequestHead(headers);
    for (int i = 0; i < headers.size(); i++) {
      head.read(headers.field(i));
    }
    return head;
  }

  private void read(HeaderField field) {
    switch (field.known()) {
      case METHOD -> method = field.value();
      case PATH -> path = field.value();
      case AUTHORITY -> authority = field;
      case HOST -> authority = authority == null ? field : authority;
      case CONTENT_TYPE -> grpc = GrpcNames.isGrpc(field.value());
      case GRPC_TIMEOUT -> timeout = field.value();
      case WAIT_FOR_READY -> waitForReady = field.value().contentEqualsIgnoreCase(TRUE);
      default -> {}
    }
  }

  @Override
  public HeaderList headers() {
    return headers;
  }

  @Override
  public boolean isGrpc() {
    return grpc;
  }

  boolean waitsForReady() {
    return waitForReady;
  }

  @Override
  public AsciiString method() {
    return method;
  }

  /** {@code :authority}, or else {@code host}; empty when the app sent neither. */
  @Override
  public AsciiString authority() {
    return authority == null ? AsciiString.EMPTY_STRING : authority.value();
  }

  /** {@link #authority} as a {@code :authority} field; null when the app sent neither. */
  @Nullable HeaderField authorityField() {
    return authority == null || authority.known() == KnownName.AUTHORITY
        ? authority
        : HeaderField.of(KnownName.AUTHORITY, authority.value());
  }

  /**
   * The app's own limit: nanoseconds, {@link EffectiveTimeout#NONE}, or {@link
   * GrpcTimeout#MALFORMED}. A request that is not gRPC has none (A31-38).
   */
  long appTimeoutNanos() {
    return timeout == null || !grpc ? EffectiveTimeout.NONE : GrpcTimeout.parse(timeout);
  }

  /** The text of {@code grpc-timeout}; empty when absent. */
  AsciiString timeoutText() {
    return timeout == null ? AsciiString.EMPTY_STRING : timeout;
  }

  /** The list that was made last, if it has just these fields; else null. */
  @SuppressWarnings("ReferenceEquality") // all are kept where they come from
  @Nullable HeaderList upstream(
      HeaderField authority, HeaderField scheme, @Nullable HeaderField timeout) {
    Upstream known = upstream;
    return known != null
            && known.authority == authority
            && known.scheme == scheme
            && known.timeout == timeout
        ? known.list
        : null;
  }

  void upstream(
      HeaderField authority, HeaderField scheme, @Nullable HeaderField timeout, HeaderList list) {
    upstream = new Upstream(list, authority, scheme, timeout);
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public @Nullable String header(String name) {
    if (name.startsWith(":") || name.endsWith("-bin")) {
      return null;
    }
    String first = null;
    StringBuilder joined = null;
    for (int i = 0; i < headers.size(); i++) {
      if (headers.name(i).contentEquals(name)) {
        if (first == null) {
          first = headers.value(i).toString();
        } else {
          if (joined == null) {
            joined = new StringBuilder(first);
          }
          joined.append(name.equals(COOKIE) ? "; " : ",").append(headers.value(i));
        }
      }
    }
    return joined == null ? first : joined.toString();
  }
}
