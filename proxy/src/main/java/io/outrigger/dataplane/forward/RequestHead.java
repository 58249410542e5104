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
 * The parts of a request's headers that the proxy needs, read once. Requests that share one
 * recurring {@link HeaderList} also share one {@code RequestHead}.
 */
@LoopConfined
public final class RequestHead implements CallRequest {
  private static final AsciiString TRUE = AsciiString.cached("true");
  private static final String COOKIE = "cookie"; // may be split: RFC 9113 section 8.2.3

  private final HeaderList headers;
  private AsciiString method = AsciiString.EMPTY_STRING;
  private AsciiString path = AsciiString.EMPTY_STRING;
  private @Nullable HeaderField authority;
  private @Nullable AsciiString timeout;
  private boolean grpc;
  private boolean waitForReady;

  /**
   * The last header list sent to a backend; null before the first one, and for headers that do not
   * recur.
   */
  private @Nullable Upstream upstream;

  /** A header list for the backend, and the fields that were set in this list. */
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

  /**
   * The value of {@code :authority}, or of {@code host} if {@code :authority} is absent; empty when
   * both are absent.
   */
  @Override
  public AsciiString authority() {
    return authority == null ? AsciiString.EMPTY_STRING : authority.value();
  }

  /**
   * {@link #authority} as an {@code :authority} field; null when the app sent neither {@code
   * :authority} nor {@code host}.
   */
  @Nullable HeaderField authorityField() {
    return authority == null || authority.known() == KnownName.AUTHORITY
        ? authority
        : HeaderField.of(KnownName.AUTHORITY, authority.value());
  }

  /**
   * The timeout that the app set: nanoseconds, {@link EffectiveTimeout#NONE}, or {@link
   * GrpcTimeout#MALFORMED}. A request that is not gRPC has no timeout (A31-38).
   */
  long appTimeoutNanos() {
    return timeout == null || !grpc ? EffectiveTimeout.NONE : GrpcTimeout.parse(timeout);
  }

  /** The text of {@code grpc-timeout}; empty when absent. */
  AsciiString timeoutText() {
    return timeout == null ? AsciiString.EMPTY_STRING : timeout;
  }

  /** Returns the header list that was sent last if it has exactly these fields, otherwise null. */
  @SuppressWarnings("ReferenceEquality") // callers cache these fields
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
