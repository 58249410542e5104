package io.outrigger.observe.admin;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.outrigger.base.LoopConfined;
import java.net.SocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Bounds a port's connections, as a handler of the port's channel. If a new connection exceeds the
 * maximum number, the oldest connection is closed, so idle connections and endless requests cannot
 * block a probe. The port and its connections must share one event loop.
 */
@LoopConfined
public final class ConnectionCap extends ChannelInboundHandlerAdapter {
  private final int maxConnections;
  private final Set<Channel> oldestFirst = new LinkedHashSet<>();

  public ConnectionCap(int maxConnections) {
    this.maxConnections = maxConnections;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object accepted) {
    var connection = (Channel) accepted;
    if (oldestFirst.size() == maxConnections) {
      Channel oldest = oldestFirst.iterator().next();
      oldestFirst.remove(oldest);
      close(oldest);
    }
    oldestFirst.add(connection);
    connection.closeFuture().addListener(closed -> oldestFirst.remove(connection));
    context.fireChannelRead(accepted);
  }

  public void closeConnectionOf(SocketAddress peer) {
    List.copyOf(oldestFirst).stream()
        .filter(connection -> peer.equals(connection.remoteAddress()))
        .forEach(ConnectionCap::close);
  }

  /**
   * Closes a connection without notice to its handlers, since HTTP/2's handler would wait for
   * streams whose clients do not read.
   */
  private static void close(Channel connection) {
    connection.unsafe().close(connection.unsafe().voidPromise());
  }
}
