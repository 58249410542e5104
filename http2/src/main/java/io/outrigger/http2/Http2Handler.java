package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.SocketErrors;
import java.io.IOException;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the events of a channel and its event loop to the connection, which is created when the
 * handler is added to the channel.
 */
@LoopConfined
final class Http2Handler extends ChannelInboundHandlerAdapter implements LoopTurn.Served {
  /** The kernel doubles the value of SO_SNDBUF to account for its own overhead. */
  private static final int SEND_BUFFER_BYTES = 64 << 10;

  private static final Logger log = LoggerFactory.getLogger(Http2Handler.class);

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(64 << 10, 256 << 10);

  private final boolean server;
  private final ConnectionSettings settings;
  private final Function<Http2Connection, ConnectionHandler> handlerFactory;
  private @Nullable Http2Connection connection;

  Http2Handler(
      boolean server,
      ConnectionSettings settings,
      Function<Http2Connection, ConnectionHandler> handlerFactory) {
    this.server = server;
    this.settings = settings;
    this.handlerFactory = handlerFactory;
  }

  private Http2Connection connection() {
    return requireNonNull(connection, "connection is in no pipeline");
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    ctx.channel().config().setWriteBufferWaterMark(WATER_MARK);
    boundSendBuffer(ctx.channel());
    LoopTurn.Mark mark = LoopTurn.of(ctx.channel().eventLoop()).open(this);
    var made = new Http2Connection(server, settings, ctx, mark);
    connection = made;
    made.listener(handlerFactory.apply(made));
    if (ctx.channel().isActive()) {
      made.start();
    }
  }

  /**
   * Limits the kernel's send buffer. Without a limit the kernel buffers up to 4 MiB for a peer that
   * does not read, and a container is charged for this memory. With epoll and TCP only the bytes
   * that have not been sent are limited: bytes in flight to a distant backend are not, so that
   * throughput is not reduced. For other sockets the whole buffer is limited.
   */
  private static void boundSendBuffer(Channel channel) {
    try {
      if (channel instanceof EpollSocketChannel) {
        channel.config().setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, (long) SEND_BUFFER_BYTES);
      } else {
        channel.config().setOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES);
      }
    } catch (ChannelException e) {
      log.debug("{}: its send buffer stays as the system has it", channel, e);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    connection().start();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      connection().read(bytes);
    } finally {
      bytes.release();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    connection().onWritabilityChanged();
  }

  @Override
  public void onEndOfTurn() {
    connection().onEndOfTurn();
  }

  @Override
  public void onTick(long nowNanos) {
    connection().onTick(nowNanos);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    connection().onSocketClosed("socket closed by the peer");
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    connection().onSocketClosed("socket was never connected");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof SocketReads.NoBufferNow) {
      return; // SocketReads has scheduled another read
    }
    if (server && (cause instanceof SSLException || cause.getCause() instanceof SSLException)) {
      connection().onTlsFault(SocketErrors.describe(cause));
    } else if (cause instanceof IOException || cause.getCause() instanceof IOException) {
      connection().onSocketFailed(SocketErrors.describe(cause)); // TLS wraps an IOException
    } else {
      connection().onFailure(cause);
    }
  }

  @Override
  public String toString() {
    Http2Connection made = connection;
    return made == null ? (server ? "server" : "client") + " connection" : made.toString();
  }
}
