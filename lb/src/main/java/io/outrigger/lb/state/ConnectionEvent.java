package io.outrigger.lb.state;

import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.tls.HandshakeResult;

/**
 * The events of single connections under a subchannel, for metrics (A94). A subchannel may have
 * several connections (A105) but only one state. Immutable; any thread.
 */
public sealed interface ConnectionEvent {
  /** An attempt succeeded: the connection takes streams. */
  record Made() implements ConnectionEvent {}

  /** A TLS handshake is over, well or not (A118); the connection has yet to be made. */
  record Handshaken(HandshakeResult result) implements ConnectionEvent {}

  /** An attempt failed; one that was given up did neither. */
  record Failed() implements ConnectionEvent {}

  /**
   * A connection takes no more streams.
   *
   * @param error A94's word for why ({@code grpc.disconnect_error})
   */
  record Lost(String error) implements ConnectionEvent {
    /** We ended it ourselves: it was not needed any more. */
    public static final Lost NOT_NEEDED = new Lost("subchannel shutdown");
  }

  /**
   * The endpoint stands elsewhere, and its connections with it.
   *
   * @param open how many there are
   */
  record Moved(int open, Locality to) implements ConnectionEvent {}
}
