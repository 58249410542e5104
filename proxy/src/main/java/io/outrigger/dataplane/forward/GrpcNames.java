package io.outrigger.dataplane.forward;

import io.netty.util.AsciiString;

/** Header names and values of gRPC calls that {@code KnownName} does not list. */
final class GrpcNames {
  static final AsciiString LOCAL = AsciiString.cached("x-outrigger-local");
  static final AsciiString APPLICATION_GRPC = AsciiString.cached("application/grpc");

  private GrpcNames() {}

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
}
