package io.outrigger.dataplane.calls;

import io.netty.util.AsciiString;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.PickResult;
import java.util.Locale;

/** The reason for which the proxy answers a request: the value of {@code x-outrigger-local}. */
public enum LocalReason {
  NO_ROUTE,
  NO_HEALTHY_UPSTREAM,
  /** The app behind a {@code --serve} address does not accept connections. */
  APP_UNREACHABLE,
  /** RBAC refused the request. */
  DENIED,
  DEADLINE,
  OVERLOAD,
  XDS_ERROR,
  CIRCUIT_BREAKER,
  FAULT,
  CONNECT_FAILURE,
  UPSTREAM_RESET,
  /** The backend ended a gRPC response without a status (SC-17). */
  MISSING_STATUS,
  /** The request breaks a rule of gRPC, such as a malformed {@code grpc-timeout}. */
  BAD_REQUEST,
  /** The request's header list is larger than {@code --max-header-bytes}. */
  HEADERS_TOO_LARGE,
  DRAINING;

  private static final LocalReason[] ALL = values();

  @SuppressWarnings("ImmutableEnumChecker") // no code changes the byte arrays
  private final AsciiString text = AsciiString.cached(name().toLowerCase(Locale.ROOT));

  /** The index of this reason's counter in this process; never stored or sent. */
  @SuppressWarnings("EnumOrdinal")
  int slot() {
    return ordinal();
  }

  public AsciiString text() {
    return text;
  }

  public String word() {
    return text.toString();
  }

  /**
   * Returns the status with a code that this proxy may send (A54, SC-23). An injected fault may
   * have any code, other failures only a code of a restricted set.
   */
  public RpcStatus allowed(RpcStatus status) {
    return this == FAULT ? status : status.restricted();
  }

  /** Returns the reason for a call that a picker dropped. */
  public static LocalReason of(PickResult.Reason drop) {
    return switch (drop) {
      case OVERLOAD_DROP -> OVERLOAD;
      case CIRCUIT_BREAKER -> CIRCUIT_BREAKER;
      case NO_CLUSTER -> XDS_ERROR;
    };
  }

  /** The reason with the given text; {@link #XDS_ERROR} for an unknown text. */
  public static LocalReason of(String word) {
    for (LocalReason reason : ALL) {
      if (reason.text.contentEquals(word)) {
        return reason;
      }
    }
    return XDS_ERROR;
  }
}
