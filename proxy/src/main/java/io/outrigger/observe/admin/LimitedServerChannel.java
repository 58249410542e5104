package io.outrigger.observe.admin;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.outrigger.base.LoopConfined;
import java.net.SocketAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A port with a bounded number of connections. When a connection exceeds the bound, the oldest
 * connection is closed, so idle connections and endless requests cannot block a probe.
 */
@LoopConfined
public final class LimitedServerChannel extends NioServerSocketChannel {
  private final int maxConnections;
  private final Set<Channel> open = new LinkedHashSet<>();

  public LimitedServerChannel(int maxConnections) {
    this.maxConnections = maxConnections;
  }

  @Override
  protected int doReadMessages(List<Object> accepted) throws Exception {
    int count = super.doReadMessages(accepted);
    for (Object connection : accepted.subList(accepted.size() - count, accepted.size())) {
      admit((Channel) connection);
    }
    return count;
  }

  private void admit(Channel connection) {
    if (open.size() == maxConnections) {
      Iterator<Channel> oldestFirst = open.iterator();
      Channel oldest = oldestFirst.next();
      oldestFirst.remove();
      end(oldest);
    }
    open.add(connection);
    connection
        .closeFuture()
        .addListener(
            closed -> {
              if (eventLoop().inEventLoop()) {
                open.remove(connection);
              } else {
                eventLoop().execute(() -> open.remove(connection));
              }
            });
  }

  /** Closes the port together with its connections. */
  @Override
  protected void doClose() throws Exception {
    super.doClose();
    List.copyOf(open).forEach(LimitedServerChannel::end);
  }

  /** Closes the connection of {@code peer}, if there is one; any thread may call it. */
  public void closeConnectionOf(SocketAddress peer) {
    eventLoop()
        .execute(
            () ->
                List.copyOf(open).stream()
                    .filter(connection -> peer.equals(connection.remoteAddress()))
                    .forEach(LimitedServerChannel::end));
  }

  /**
   * Closes the channel without its handlers, since HTTP/2's handler would wait for streams whose
   * clients do not read.
   */
  private static void end(Channel connection) {
    if (connection.isRegistered()) {
      connection
          .eventLoop()
          .execute(() -> connection.unsafe().close(connection.unsafe().voidPromise()));
    } else {
      connection.close();
    }
  }
}
