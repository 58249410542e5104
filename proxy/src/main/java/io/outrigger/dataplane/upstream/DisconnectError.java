package io.outrigger.dataplane.upstream;

import io.outrigger.http2.Http2Error;
import java.util.Locale;

/**
 * The values that A94 defines for the reason why a connection ended ({@code
 * grpc.disconnect_error}).
 */
final class DisconnectError {
  private DisconnectError() {}

  static String ofGoAway(Http2Error error) {
    return "GOAWAY " + error;
  }

  /**
   * @param reason the reason that {@code Http2Connection} reports, in Outrigger's own wording
   */
  static String of(String reason) {
    String text = reason.toLowerCase(Locale.ROOT);
    if (text.contains("reset by peer") || text.contains("econnreset")) {
      return "connection reset";
    }
    if (text.contains("timed out") || text.startsWith("keepalive")) {
      return "connection timed out";
    }
    if (text.contains("connection abort")) {
      return "connection aborted";
    }
    return text.startsWith("socket error") || text.contains("broken pipe")
        ? "socket error"
        : "unknown";
  }
}
