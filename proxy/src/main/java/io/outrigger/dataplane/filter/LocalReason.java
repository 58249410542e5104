package io.outrigger.dataplane.filter;

import io.outrigger.base.RpcStatus;
import io.outrigger.lb.PickResult;
import java.util.Locale;

/** The reason why the proxy itself answers a request, sent as {@code x-outrigger-local}. */
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
  UPSTREAM_RESET,
  /** The backend ended a gRPC response without a status (SC-17). */
  MISSING_STATUS,
  /** The request violates gRPC's protocol, for example by a malformed {@code grpc-timeout}. */
  BAD_REQUEST,
  /** The request's header list is larger than {@code --max-header-bytes}. */
  HEADERS_TOO_LARGE;

  /** The {@code :status} of an answer that the proxy sends in place of a backend's response. */
  public static final int HTTP_UNAVAILABLE = 503;

  private final String word = name().toLowerCase(Locale.ROOT);

  public String word() {
    return word;
  }

  /** The {@code :status} with which the proxy answers a request that is not gRPC. */
  public int httpStatus(RpcStatus status) {
    return switch (this) {
      case NO_ROUTE -> 404;
      case BAD_REQUEST -> 400;
      case HEADERS_TOO_LARGE -> 431; // RFC 6585 section 5
      default -> status.code() == RpcStatus.Code.DEADLINE_EXCEEDED ? 504 : HTTP_UNAVAILABLE;
    };
  }

  /**
   * Returns the status, with its code replaced if the proxy must not send that code (A54, SC-23).
   * For an injected fault, every code is allowed; for other failures, A54 forbids some codes.
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
}
