package io.outrigger.http2;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;

/**
 * The state of a connection. All layers read the state; only {@link ConnectionLifecycle} changes
 * it.
 *
 * <pre>
 * OPENING    -> OPEN        on the peer's preface and first SETTINGS
 * OPEN       -> GOING_AWAY  on the final GOAWAY sent, a GOAWAY received, the last stream id used
 * GOING_AWAY -> CLOSING     on the last stream ended
 * any        -> CLOSING     on close, on an error of the peer
 * any        -> CLOSED      on the socket closed
 * </pre>
 */
@LoopConfined
final class ConnectionState {
  enum Phase {
    OPENING,
    OPEN,
    GOING_AWAY,
    CLOSING,
    CLOSED
  }

  private final boolean server;
  private final Channel channel;
  private Phase phase = Phase.OPENING;

  ConnectionState(boolean server, Channel channel) {
    this.server = server;
    this.channel = channel;
  }

  /** Whether this side is the server, which has accepted the connection. */
  boolean isServer() {
    return server;
  }

  boolean isOpening() {
    return phase == Phase.OPENING;
  }

  boolean isOpen() {
    return phase == Phase.OPEN;
  }

  /** Whether the connection closes when its last stream has ended. */
  boolean isGoingAway() {
    return phase == Phase.GOING_AWAY;
  }

  /** Whether the connection is closing or closed, so that no frame may be written. */
  boolean isEnding() {
    return phase == Phase.CLOSING || phase == Phase.CLOSED;
  }

  boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  void enter(Phase next) {
    phase = next;
  }

  @Override
  public String toString() {
    return (server ? "server " : "client ") + channel;
  }
}
