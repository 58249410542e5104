package io.outrigger.http2;

import java.net.SocketAddress;
import java.util.Optional;

/**
 * An open connection as status views show it.
 *
 * @param id of its own in this process; a later connection has a higher one
 * @param local empty when the socket has none, as the accepting side of a unix socket
 * @param remote in the same way
 * @param keepAlivesSent PINGs that asked whether the peer is there
 */
public record SocketView(
    long id,
    Optional<SocketAddress> local,
    Optional<SocketAddress> remote,
    Streams streams,
    long keepAlivesSent) {
  /**
   * How its streams went.
   *
   * @param succeeded closed after the response had ended, whatever its status
   * @param failed closed before: reset, or lost with the connection
   */
  public record Streams(long started, long succeeded, long failed) {}
}
