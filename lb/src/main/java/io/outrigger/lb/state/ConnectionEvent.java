package io.outrigger.lb.state;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.tls.HandshakeResult;

/**
 * An event of one connection of a subchannel, for metrics (A94). A subchannel may have several
 * connections (A105) but only one state. Instances are immutable and may be used on any thread.
 */
public sealed interface ConnectionEvent {
  /** A connection attempt has succeeded, and the connection accepts streams. */
  record Made() implements ConnectionEvent {}

  /** A TLS handshake has ended (A118). A {@link Made} or {@link Failed} event follows. */
  record Handshaken(HandshakeResult result) implements ConnectionEvent {}

  /**
   * A connection attempt has failed. An aborted attempt causes neither a {@code Failed} nor a
   * {@link Made} event.
   */
  record Failed() implements ConnectionEvent {}

  /**
   * A connection accepts no more streams.
   *
   * @param error the reason, as a value of A94's label {@code grpc.disconnect_error}
   */
  record Lost(String error) implements ConnectionEvent {
    /** The proxy closed the connection because it was no longer needed. */
    public static final Lost NOT_NEEDED = new Lost("subchannel shutdown");
  }

  /** The endpoint, with {@code open} connections, has moved to another locality. */
  record Moved(int open, Locality to) implements ConnectionEvent {}

  /**
   * The labels under which connections are counted (A94).
   *
   * @param secure whether the connections are encrypted and authenticated
   */
  record Group(String cluster, Locality locality, boolean secure) {}
}
