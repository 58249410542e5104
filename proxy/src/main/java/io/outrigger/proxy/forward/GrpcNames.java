package io.outrigger.proxy.forward;

import io.netty.util.AsciiString;

/** Field names that calls look at or write, besides pseudo-headers. */
final class GrpcNames {
  static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
  static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
  static final AsciiString GRPC_STATUS = AsciiString.cached("grpc-status");
  static final AsciiString GRPC_MESSAGE = AsciiString.cached("grpc-message");
  static final AsciiString GRPC_TIMEOUT = AsciiString.cached("grpc-timeout");
  static final AsciiString WAIT_FOR_READY = AsciiString.cached("x-outrigger-wait-for-ready");
  static final AsciiString RETRY_PUSHBACK = AsciiString.cached("grpc-retry-pushback-ms");
  static final AsciiString PREVIOUS_ATTEMPTS = AsciiString.cached("grpc-previous-rpc-attempts");
  static final AsciiString LOCAL = AsciiString.cached("x-outrigger-local");
  static final AsciiString APPLICATION_GRPC = AsciiString.cached("application/grpc");

  private GrpcNames() {}

  /** Whether a content-type is gRPC's: nothing, '+' or ';' follows (SC-26, SC-27). */
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
}
