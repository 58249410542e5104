package io.outrigger.http2;

/**
 * The field names that the proxy uses. Each {@link HeaderName} has a {@code KnownName}, so that
 * request processing compares constants instead of texts.
 */
public enum KnownName {
  METHOD(":method", 1),
  SCHEME(":scheme", 1 << 1),
  AUTHORITY(":authority", 1 << 2),
  PATH(":path", 1 << 3),
  STATUS(":status", 1 << 4),
  HOST("host", 1 << 5),
  TE("te", 1 << 6),
  CONNECTION("connection", 1 << 7),
  KEEP_ALIVE("keep-alive", 1 << 8),
  PROXY_CONNECTION("proxy-connection", 1 << 9),
  TRANSFER_ENCODING("transfer-encoding", 1 << 10),
  UPGRADE("upgrade", 1 << 11),
  CONTENT_LENGTH("content-length", 1 << 12),
  CONTENT_TYPE("content-type", 1 << 13),
  GRPC_TIMEOUT("grpc-timeout", 1 << 14),
  GRPC_STATUS("grpc-status", 1 << 15),
  GRPC_MESSAGE("grpc-message", 1 << 16),
  WAIT_FOR_READY("x-outrigger-wait-for-ready", 1 << 17),
  RETRY_PUSHBACK("grpc-retry-pushback-ms", 1 << 18),
  PREVIOUS_ATTEMPTS("grpc-previous-rpc-attempts", 1 << 19),
  LOCAL("x-outrigger-local", 1 << 20),
  FORWARDED_CLIENT_CERT("x-forwarded-client-cert", 1 << 21),
  OTHER("", 0);

  private final String text;
  private final int bit;

  KnownName(String text, int bit) {
    this.text = text;
    this.bit = bit;
  }

  /** The name in lower case; empty for {@link #OTHER}. */
  public String text() {
    return text;
  }

  /** The bit of this name in sets of names; 0 for {@link #OTHER}. */
  int bit() {
    return bit;
  }
}
