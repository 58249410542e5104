import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2SettingsFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * A plain proxy of Netty's own parts: its HTTP/2 codec, one event loop, one connection to one
 * backend, TLS by BoringSSL, the JDK's trust manager. It has no routes, load balancing, timeouts,
 * limits or metrics.
 *
 * <pre>
 * java NettyProxy.java PORT BACKEND-PORT                  plain text on both sides
 * java NettyProxy.java PORT BACKEND-PORT forward FOLDER   mutual TLS to the backend
 * java NettyProxy.java PORT BACKEND-PORT serve FOLDER     mutual TLS with the callers
 * </pre>
 *
 * The folder has the files root-chain.pem, and -chain.pem and -key.pem of "client" or "server".
 */
public final class NettyProxy {
  private static final String HOST = "127.0.0.1";
  private static final int WINDOW = 1 << 24;
  private static final int STREAMS = 1000;

  private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final int backend;
  private final SslContext callers;
  private final SslContext backends;

  /** The connection to the backend that takes new streams, maybe still being made; null without one. */
  private Future<Http2StreamChannelBootstrap> connection;

  private NettyProxy(int backend, SslContext callers, SslContext backends) {
    this.backend = backend;
    this.callers = callers;
    this.backends = backends;
  }

  public static void main(String[] args) throws Exception {
    boolean serves = args.length > 2 && args[2].equals("serve");
    SslContext tls = args.length > 2 ? tls(new File(args[3]), serves) : null;
    new NettyProxy(Integer.parseInt(args[1]), serves ? tls : null, serves ? null : tls).listen(Integer.parseInt(args[0]));
  }

  private static SslContext tls(File folder, boolean serves) throws Exception {
    String own = serves ? "server" : "client";
    File chain = new File(folder, own + "-chain.pem");
    File key = new File(folder, own + "-key.pem");
    SslContextBuilder builder =
        serves
            ? SslContextBuilder.forServer(chain, key).clientAuth(ClientAuth.REQUIRE)
            : SslContextBuilder.forClient().keyManager(chain, key).endpointIdentificationAlgorithm(null);
    return builder
        .trustManager(new File(folder, "root-chain.pem"))
        .sslProvider(SslProvider.OPENSSL)
        .protocols("TLSv1.3")
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT, "h2"))
        .build();
  }

  private void listen(int port) throws InterruptedException {
    ChannelHandler streams = initializer(stream -> stream.pipeline().addLast(new CallerStream()));
    new ServerBootstrap()
        .group(group)
        .channel(EpollServerSocketChannel.class)
        .option(ChannelOption.SO_BACKLOG, 1024)
        .childHandler(
            initializer(
                channel -> {
                  addTls(channel, callers);
                  channel.pipeline().addLast(
                      Http2FrameCodecBuilder.forServer().initialSettings(settings()).build(), new Http2MultiplexHandler(streams));
                }))
        .bind(HOST, port)
        .sync();
  }

  private interface Setup {
    void accept(Channel channel);
  }

  private static ChannelHandler initializer(Setup setup) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        setup.accept(channel);
      }
    };
  }

  private static void addTls(Channel channel, SslContext tls) {
    if (tls != null) {
      channel.pipeline().addLast(tls.newHandler(channel.alloc()));
    }
  }

  private static Http2Settings settings() {
    return Http2Settings.defaultSettings().maxConcurrentStreams(STREAMS).initialWindowSize(WINDOW);
  }

  private Future<Http2StreamChannelBootstrap> connection() {
    if (connection == null) {
      Promise<Http2StreamChannelBootstrap> made = group.next().newPromise();
      connection = made;
      new Bootstrap()
          .group(group)
          .channel(EpollSocketChannel.class)
          .handler(
              initializer(
                  channel -> {
                    addTls(channel, backends);
                    channel.pipeline().addLast(
                        Http2FrameCodecBuilder.forClient().initialSettings(settings()).build(),
                        new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()),
                        new BackendConnection(made));
                  }))
          .connect(HOST, backend)
          .addListener(connected -> end(made, connected.cause()));
    }
    return connection;
  }

  /** Ends the use of a connection for new calls: the next one makes another. Does nothing without a cause. */
  private void end(Promise<Http2StreamChannelBootstrap> ended, Throwable cause) {
    if (cause != null) {
      connection = connection == ended ? null : connection;
      ended.tryFailure(cause);
    }
  }

  /** Tells when the backend's settings are there, and when the connection takes no new streams. */
  private final class BackendConnection extends ChannelInboundHandlerAdapter {
    private final Promise<Http2StreamChannelBootstrap> made;

    BackendConnection(Promise<Http2StreamChannelBootstrap> made) {
      this.made = made;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2SettingsFrame) {
        made.trySuccess(new Http2StreamChannelBootstrap(context.channel()));
      } else if (frame instanceof Http2GoAwayFrame) {
        end(made, new Exception("GOAWAY"));
      }
      ReferenceCountUtil.release(frame);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      end(made, new Exception("connection lost"));
    }
  }

  /**
   * One side of a call; writes what it reads to the other side, which holds it back when it is full. As it is, the
   * backend's side.
   */
  private static class Stream extends ChannelInboundHandlerAdapter {
    /** The other side; null until it is open. */
    Channel other;

    Stream(Channel other) {
      this.other = other;
    }

    void write(Object frame) {
      other.write(frame);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2HeadersFrame headers) {
        write(new DefaultHttp2HeadersFrame(headers.headers(), headers.isEndStream()));
      } else if (frame instanceof Http2DataFrame data) {
        write(new DefaultHttp2DataFrame(data.content(), data.isEndStream(), data.padding()));
      } else {
        ReferenceCountUtil.release(frame);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      if (other != null) {
        other.flush();
        context.channel().config().setAutoRead(other.isWritable());
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      if (other != null) {
        other.config().setAutoRead(context.channel().isWritable());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      other.flush(); // a response that was read whole ends without channelReadComplete
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /** The caller's side, which opens the other one. */
  private final class CallerStream extends Stream {
    private final List<Object> waiting = new ArrayList<>();

    CallerStream() {
      super(null);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      connection().addListener((Future<Http2StreamChannelBootstrap> made) -> open(context, made));
    }

    @Override
    void write(Object frame) {
      if (other == null) {
        waiting.add(frame);
      } else {
        super.write(frame);
      }
    }

    private void open(ChannelHandlerContext context, Future<Http2StreamChannelBootstrap> made) {
      if (made.isSuccess()) {
        made.getNow()
            .handler(new Stream(context.channel()))
            .open()
            .addListener((Future<Http2StreamChannel> opened) -> send(context, opened));
      } else {
        context.close();
      }
    }

    private void send(ChannelHandlerContext context, Future<Http2StreamChannel> opened) {
      if (opened.isSuccess()) {
        other = opened.getNow();
        waiting.forEach(other::write);
        waiting.clear();
        other.flush();
      } else {
        context.close();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      waiting.forEach(ReferenceCountUtil::release);
      waiting.clear();
      if (other != null) {
        other.close();
      }
    }
  }
}
