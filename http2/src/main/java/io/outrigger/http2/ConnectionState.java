package io.outrigger.http2;

import io.netty.channel.Channel;
import io.outrigger.base.LoopConfined;

/**
 * The state of a connection, which {@link ConnectionLifecycle} changes and every layer reads:
 *
 * <pre>
 * OPENING  -> OPEN     on the peer's preface and first SETTINGS
 * OPEN     -> LEAVING  on drain (final GOAWAY sent), on GOAWAY received, on the last stream id used
 * LEAVING  -> CLOSING  on the last stream ended
 * any      -> CLOSING  on close, on an error of the peer
 * any      -> CLOSED   on the socket closed
 * </pre>
 */
@LoopConfined
final class ConnectionState {
  enum Phase {
    OPENING,
    OPEN,
    LEAVING,
    CLOSING,
    CLOSED
  }

  private final boolean server;
  private final Channel channel;
  private Phase phase = Phase.OPENING;

  /**
   * @param server whether this side has accepted the connection
   */
  ConnectionState(boolean server, Channel channel) {
    this.server = server;
    this.channel = channel;
  }

  boolean isServer() {
    return server;
  }

  /** Whether the peer's first SETTINGS have not arrived yet. */
  boolean isOpening() {
    return phase == Phase.OPENING;
  }

  boolean isOpen() {
    return phase == Phase.OPEN;
  }

  /** Whether the connection closes when its last stream has ended. */
  boolean isLeaving() {
    return phase == Phase.LEAVING;
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
