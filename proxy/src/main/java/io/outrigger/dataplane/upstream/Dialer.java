package io.outrigger.dataplane.upstream;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.util.NetUtil;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.OneTimer;
import io.outrigger.base.SocketErrors;
import io.outrigger.base.TimerHandle;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.tls.TlsContext;
import io.outrigger.dataplane.tls.TlsHandshake;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.PeerErrors;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Opens connections of one event loop to one address, and describes failures for operators. */
@LoopConfined
record Dialer(
    EventLoops loops,
    EventLoop loop,
    EndpointAddress address,
    UpstreamSettings settings,
    KeepAliveTime keepAlive,
    UpstreamSockets sockets,
    SubchannelName owner)
    implements OneTimer.Scheduler {
  @Override
  public TimerHandle schedule(Duration delay, Runnable task) {
    var waiting = loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> waiting.cancel(false);
  }

  void onEnded(Http2Error error, String reason) {
    loops.peerErrors().onConnectionEnded(PeerErrors.Side.BACKEND, error, address, reason);
  }

  /** Adds a connection to the status views; the returned task removes the connection. */
  Runnable addToViews(Http2Connection connection) {
    return sockets.add(loops.index(loop), owner, connection);
  }

  /**
   * Opens a connection.
   *
   * @param tls the TLS context; null for plain text
   * @param handlers creates the handler of the connection; the handler is always notified of the
   *     connection's end
   * @param handshake receives the result of the TLS handshake
   * @param onFailure receives the reason if the socket or the HTTP proxy does not connect; called
   *     before the handler is notified of the end
   * @return the channel, which the caller closes to cancel the attempt
   */
  Channel dial(
      @Nullable TlsContext tls,
      Function<Http2Connection, ConnectionHandler> handlers,
      TlsHandshake.Listener handshake,
      Consumer<String> onFailure) {
    if (address.tls().isPresent() && tls == null) { // without TLS, no connection
      throw new IllegalStateException("no TLS context for " + address);
    }
    Optional<String> path = address.unixPath();
    SocketAddress target =
        path.isPresent() ? loops.unixAddress(Path.of(path.get())) : resolve(address);
    var bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(loops.clientChannel(target))
            .option(ChannelOption.ALLOCATOR, loops.allocator())
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                (int) Math.min(Integer.MAX_VALUE, settings.connectTimeout().toMillis()))
            .handler(
                pipeline(
                    tls, Http2Connection.client(settings.http2(), handlers), handshake, onFailure));
    if (path.isEmpty()) {
      bootstrap.option(ChannelOption.TCP_NODELAY, true);
    }
    ChannelFuture connecting = bootstrap.connect(target);
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            reportFailure(onFailure, reasonOf(done.cause()));
          }
        });
    return connecting.channel();
  }

  /** Adds the handlers of a socket for HTTP CONNECT (A86), TLS (A29) and HTTP/2, in this order. */
  private ChannelHandler pipeline(
      @Nullable TlsContext tls,
      ChannelHandler connection,
      TlsHandshake.Listener handshake,
      Consumer<String> onFailure) {
    if (address.proxy().isEmpty() && tls == null) {
      return connection;
    }
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        address.proxy().ifPresent(proxy -> channel.pipeline().addLast(connect(proxy, onFailure)));
        if (tls != null) {
          Http2Connection.prepareReads(channel);
          Optional<String> serverName = address.tls().orElseThrow().serverName();
          tls.addTo(channel, serverName);
          channel.pipeline().addLast(new TlsHandshake(serverName, () -> connection, handshake));
        } else {
          channel.pipeline().addLast(connection);
        }
      }
    };
  }

  private ChannelHandler connect(EndpointAddress proxy, Consumer<String> onFailure) {
    var connect = new HttpProxyHandler(resolve(proxy));
    connect.setConnectTimeoutMillis(settings.connectTimeout().toMillis());
    connect
        .connectFuture()
        .addListener(
            agreed -> {
              if (!agreed.isSuccess()) {
                reportFailure(onFailure, refusalOf(agreed.cause()));
              }
            });
    return connect;
  }

  /**
   * Reports a failure on the event loop. If no socket can be created, Netty reports the error on
   * another thread.
   */
  private void reportFailure(Consumer<String> onFailure, String reason) {
    if (loop.inEventLoop()) {
      onFailure.accept(reason);
    } else {
      loop.execute(() -> onFailure.accept(reason));
    }
  }

  /**
   * Describes the HTTP proxy's refusal by the last part of Netty's message, for example the HTTP
   * status. The other parts of Netty's message are the addresses of the HTTP proxy and the backend.
   */
  private String refusalOf(@Nullable Throwable cause) {
    String text = String.valueOf(cause == null ? null : cause.getMessage());
    String proxy = address.proxy().map(EndpointAddress::toString).orElse("");
    return "proxy "
        + proxy
        + " did not connect: "
        + text.substring(text.lastIndexOf(", ") + 1).strip();
  }

  private String reasonOf(@Nullable Throwable cause) {
    return cause instanceof ConnectTimeoutException
        ? "no connection within " + settings.connectTimeout().toMillis() + "ms"
        : SocketErrors.describe(cause);
  }

  private static InetSocketAddress resolve(EndpointAddress address) {
    InetAddress ip = NetUtil.createInetAddressFromIpAddressString(address.ip());
    if (ip == null) { // decoders admit only IP literals
      throw new IllegalArgumentException("not an IP address: " + address.ip());
    }
    return new InetSocketAddress(ip, address.port());
  }
}
