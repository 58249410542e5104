package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.HashPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.RouteAction;
import io.outrigger.dataplane.calls.CallRequest;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.GrpcTimeout;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.KnownName;
import io.outrigger.lb.PlannedCall;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a request's headers that the proxy needs. Requests that share one recurring {@link
 * HeaderList} also share one {@code RequestHead}. Explanations of routing read hypothetical
 * requests as RequestHeads, too.
 */
@LoopConfined
public final class RequestHead implements CallRequest {
  static final AsciiString APPLICATION_GRPC = AsciiString.cached("application/grpc");
  private static final AsciiString TRUE = AsciiString.cached("true");
  private static final String COOKIE = "cookie"; // may be split: RFC 9113 section 8.2.3

  private final HeaderList headers;
  private AsciiString method = AsciiString.EMPTY_STRING;
  private AsciiString path = AsciiString.EMPTY_STRING;
  private @Nullable HeaderField authority;
  private @Nullable AsciiString timeout;
  private boolean grpc;
  private boolean waitForReady;

  /** The last header list for a backend, cached; null if the app's headers do not recur. */
  private @Nullable Upstream upstream;

  /** A header list for a backend, and the values that this proxy has set in the list. */
  private record Upstream(
      HeaderList list, HeaderField authority, HeaderField scheme, long timeoutNanos) {}

  private record Planned(
      OptionalLong hash, RequestHead request, Optional<List<EndpointAddress>> session)
      implements PlannedCall {
    @Override
    public @Nullable String header(String name) {
      return request.header(name);
    }
  }

  private RequestHead(HeaderList headers) {
    this.headers = headers;
  }

  /** Reads headers that the HTTP/2 connection has validated. */
  public static RequestHead of(HeaderList headers) {
    var head = new RequestHead(headers);
    for (int i = 0; i < headers.size(); i++) {
      head.read(headers.field(i));
    }
    return head;
  }

  /**
   * Whether {@code contentType} is {@code application/grpc}, alone or followed by '+' or ';'
   * (SC-26, SC-27).
   */
  static boolean isGrpc(AsciiString contentType) {
    int length = APPLICATION_GRPC.length();
    if (!contentType.regionMatches(true, 0, APPLICATION_GRPC, 0, length)) {
      return false;
    }
    if (contentType.length() == length) {
      return true;
    }
    char next = contentType.charAt(length);
    return next == '+' || next == ';';
  }

  private void read(HeaderField field) {
    switch (field.known()) {
      case METHOD -> method = field.value();
      case PATH -> path = field.value();
      case AUTHORITY -> authority = field;
      case HOST -> authority = authority == null ? field : authority;
      case CONTENT_TYPE -> grpc = isGrpc(field.value());
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

  public boolean waitsForReady() {
    return waitForReady;
  }

  @Override
  public AsciiString method() {
    return method;
  }

  /** The value of {@code :authority}, otherwise of {@code host}; empty when both are absent. */
  @Override
  public AsciiString authority() {
    return authority == null ? AsciiString.EMPTY_STRING : authority.value();
  }

  /** {@link #authority} as an {@code :authority} field; null when the authority is absent. */
  @Nullable HeaderField authorityField() {
    return authority == null || authority.known() == KnownName.AUTHORITY
        ? authority
        : HeaderField.of(KnownName.AUTHORITY, authority.value());
  }

  /**
   * The timeout that the app set: nanoseconds, {@link EffectiveTimeout#NONE}, or {@link
   * GrpcTimeout#MALFORMED}. A request that is not gRPC has no timeout (A31-38).
   */
  public long appTimeoutNanos() {
    return timeout == null || !grpc ? EffectiveTimeout.NONE : GrpcTimeout.parse(timeout);
  }

  AsciiString timeoutText() {
    return timeout == null ? AsciiString.EMPTY_STRING : timeout;
  }

  /** Returns the cached header list if it has the given values; otherwise null. */
  @SuppressWarnings("ReferenceEquality") // callers reuse their HeaderField objects
  @Nullable HeaderList upstream(HeaderField authority, HeaderField scheme, long timeoutNanos) {
    Upstream last = upstream;
    return last != null
            && last.authority == authority
            && last.scheme == scheme
            && last.timeoutNanos == timeoutNanos
        ? last.list
        : null;
  }

  void upstream(HeaderField authority, HeaderField scheme, long timeoutNanos, HeaderList list) {
    upstream = new Upstream(list, authority, scheme, timeoutNanos);
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public @Nullable String header(String name) {
    return name.startsWith(":") || name.endsWith("-bin") ? null : joined(name);
  }

  /**
   * Returns the received value of a header, which RBAC judges (A41); null when absent.
   *
   * @param name the header's name in lower case
   */
  @Nullable String received(String name) {
    return switch (name) {
      case ":path" -> path();
      case ":method" -> method.toString();
      case ":authority" -> authority == null ? null : authority.value().toString();
      default -> name.startsWith(":") ? null : joined(name);
    };
  }

  private @Nullable String joined(String name) {
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

  /**
   * Returns the call that would be made for this request on the given route.
   *
   * @param channelId see {@link Forward#channelId}
   * @param session see {@link PlannedCall#session}
   */
  public PlannedCall on(Route route, long channelId, Optional<List<EndpointAddress>> session) {
    Long hash =
        route.action() instanceof RouteAction.Forward action
            ? HashPolicy.hash(action.hashPolicies(), this, channelId)
            : null;
    OptionalLong fixedHash = hash == null ? OptionalLong.empty() : OptionalLong.of(hash);
    return new Planned(fixedHash, this, session);
  }
}
