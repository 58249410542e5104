package io.outrigger.http2;

/** A connection error of the peer (RFC 9113 section 5.4.1), without a stack trace. */
final class ConnectionFault extends Exception {
  private final Http2Error error;

  ConnectionFault(Http2Error error, String message) {
    super(message, null, false, false);
    this.error = error;
  }

  Http2Error error() {
    return error;
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
