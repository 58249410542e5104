package io.outrigger.lb.state;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.tls.HandshakeResult;

/**
 * The events of single connections under a subchannel, for metrics (A94). A subchannel may have
 * several connections (A105) but only one state. Instances are immutable and may be used on any
 * thread.
 */
public sealed interface ConnectionEvent {
  /** An attempt succeeded: the connection accepts streams. */
  record Made() implements ConnectionEvent {}

  /** A TLS handshake ended, successfully or not (A118); the connection is not yet made. */
  record Handshaken(HandshakeResult result) implements ConnectionEvent {}

  /** An attempt failed; an attempt that was aborted causes neither this event nor {@link Made}. */
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

  /** The endpoint changed its locality, and its connections are counted there from now on. */
  record Moved(int open, Locality to) implements ConnectionEvent {}

  /**
   * Connections that are counted together (A94).
   *
   * @param secure whether the connections are encrypted and authenticated
   */
  record Group(String cluster, Locality locality, boolean secure) {}
}
