package io.outrigger.proxy.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.outrigger.base.LoopConfined;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Stands behind the TLS handler of a channel until the handshake is over: then the connection's own
 * handler takes its place, so that no byte of it is said to a peer that is not the right one, or
 * does not speak HTTP/2 (A29-16).
 */
@LoopConfined
public final class TlsHandshake extends ChannelInboundHandlerAdapter {
  private static final String HTTP_2 = "h2";

  private final Optional<String> serverName;
  private final ChannelHandler connection;
  private final Consumer<TlsPeer> done;
  private final Consumer<String> failed;
  private boolean over;

  /**
   * @param serverName that the peer is asked for
   * @param connection takes this one's place
   * @param done told before that
   * @param failed told why the handshake failed, in an operator's words; the channel is then closed
   */
  public TlsHandshake(
      Optional<String> serverName,
      ChannelHandler connection,
      Consumer<TlsPeer> done,
      Consumer<String> failed) {
    this.serverName = serverName;
    this.connection = connection;
    this.done = done;
    this.failed = failed;
  }

  /** Whether {@code channel} is connected, and its handshake under way. */
  public static boolean isUnderWay(Channel channel) {
    return channel.isActive() && channel.pipeline().get(TlsHandshake.class) != null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent completion) {
      if (completion.isSuccess()) {
        onHandshaken(ctx);
      } else {
        fail(ctx, TlsFailure.describe(completion.cause()));
      }
    }
    ctx.fireUserEventTriggered(event);
  }

  private void onHandshaken(ChannelHandlerContext ctx) {
    SslHandler tls = ctx.pipeline().get(SslHandler.class);
    String protocol = tls.applicationProtocol();
    if (!HTTP_2.equals(protocol)) {
      fail(
          ctx,
          protocol == null
              ? "the server did not agree to HTTP/2: it answered no ALPN"
              : "the server did not agree to HTTP/2: by ALPN it chose " + protocol);
      return;
    }
    try {
      done.accept(TlsPeer.of(tls.engine().getSession(), serverName));
    } catch (SSLPeerUnverifiedException e) {
      fail(ctx, "the server has shown no certificate");
      return;
    }
    over = true;
    ctx.pipeline().replace(this, null, connection);
  }

  private void fail(ChannelHandlerContext ctx, String reason) {
    if (!over) {
      over = true;
      failed.accept(reason);
      ctx.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    fail(ctx, TlsFailure.describe(new ClosedChannelException()));
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(ctx, TlsFailure.describe(cause));
  }
}
