package io.outrigger.http2;

import java.net.SocketAddress;
import java.util.Optional;

/**
 * A snapshot of an open connection for status pages.
 *
 * @param id unique in this process; a later connection has a higher id
 * @param local this side's address; empty when the socket has none, as on the accepting side of a
 *     unix socket
 * @param remote the peer's address; empty when the socket has none
 */
public record SocketView(
    long id,
    Optional<SocketAddress> local,
    Optional<SocketAddress> remote,
    Streams streams,
    long keepAlivesSent) {
  /**
   * The numbers of streams by their result.
   *
   * @param succeeded streams that were closed after the response had ended, whatever its status
   * @param failed streams that were reset or lost with the connection before the response had ended
   */
  public record Streams(long started, long succeeded, long failed) {}
}
