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
 * A port with a bounded number of connections. For one beyond it the oldest is closed: connections
 * that do nothing, or whose requests never end, cannot keep a probe out.
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

  /** Its connections end with it. */
  @Override
  protected void doClose() throws Exception {
    super.doClose();
    List.copyOf(open).forEach(LimitedServerChannel::end);
  }

  /** Closes the connection of that peer, if there is one; on any thread. */
  public void closeConnectionOf(SocketAddress peer) {
    eventLoop()
        .execute(
            () ->
                List.copyOf(open).stream()
                    .filter(connection -> peer.equals(connection.remoteAddress()))
                    .forEach(LimitedServerChannel::end));
  }

  /** At once: HTTP/2's handler would wait for streams whose readers have stopped. */
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
