package io.outrigger.abuse;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.http2.EventLoops;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A gRPC backend by Netty's codec that serves each request and keeps every rule: {@code
 * /test.Big/N} is answered with N bytes in messages of {@value #MESSAGE_BYTES}, {@code
 * /test.Head/N} with a field of N bytes, {@code /test.Slow/…} reads a frame of the request every
 * few milliseconds, everything else is answered with a few bytes at once.
 */
final class ServingBackend implements AutoCloseable {
  static final String BIG = "/test.Big/";
  static final String HEAD = "/test.Head/";
  static final String SLOW = "/test.Slow/Put";
  static final String SMALL = "/test.Small/Get";

  /** Of a message in a big response, with its prefix. */
  static final int MESSAGE_BYTES = 4 << 10;

  /** A flag and the length of what follows. */
  private static final int PREFIX_BYTES = 5;

  private static final int WINDOW = 1 << 20;
  private static final int CONNECTION_WINDOW = 16 << 20;
  private static final int MAX_BIG_BYTES = 16 << 20;
  private static final Duration SLOW_READ = Duration.ofMillis(10);
  private static final byte[] SMALL_ANSWER = {0, 0, 0, 0, 2, 'o', 'k'};

  /** Content of all big responses. */
  private final byte[] big = messages();

  private final EventLoops loops = EventLoops.start(EventLoops.TransportKind.AUTO, 1);
  private final Channel channel;

  ServingBackend() {
    var any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    channel =
        new ServerBootstrap()
            .group(loops.group())
            .channel(loops.serverChannel(any))
            .childOption(ChannelOption.ALLOCATOR, Peers.BUFFERS)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel connection) {
                    init(connection);
                  }
                })
            .bind(any)
            .syncUninterruptibly()
            .channel();
  }

  private static byte[] messages() {
    ByteBuffer all = ByteBuffer.allocate(MAX_BIG_BYTES);
    for (int at = 0; at < MAX_BIG_BYTES; at += MESSAGE_BYTES) {
      all.putInt(at + 1, MESSAGE_BYTES - PREFIX_BYTES);
    }
    return all.array();
  }

  private void init(Channel connection) {
    connection
        .pipeline()
        .addLast(
            Http2FrameCodecBuilder.forServer()
                .initialSettings(
                    Http2Settings.defaultSettings()
                        .maxHeaderListSize(WINDOW)
                        .initialWindowSize(WINDOW))
                .decoderEnforceMaxRstFramesPerWindow(0, 0)
                .encoderEnforceMaxRstFramesPerWindow(0, 0)
                .encoderEnforceMaxQueuedControlFrames(0)
                .decoderEnforceMaxConsecutiveEmptyDataFrames(0)
                .build(),
            new Http2MultiplexHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel stream) {
                    stream.pipeline().addLast(new Served());
                  }
                }),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelActive(ChannelHandlerContext ctx) {
                ctx.writeAndFlush(new DefaultHttp2WindowUpdateFrame(CONNECTION_WINDOW));
              }

              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                ctx.close(); // a connection that the sidecar has reset
              }
            });
  }

  int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  @Override
  public void close() {
    loops.stop(Duration.ofSeconds(5));
  }

  /** One request. */
  private final class Served extends ChannelInboundHandlerAdapter {
    private String path = "";

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object frame) {
      boolean ended = false;
      if (frame instanceof Http2HeadersFrame headers) {
        path = path.isEmpty() ? headers.headers().path().toString() : path;
        ended = headers.isEndStream();
        if (path.startsWith(SLOW) && !ended) {
          ctx.channel().config().setAutoRead(false);
          readLater(ctx);
        }
      } else if (frame instanceof Http2DataFrame data) {
        ended = data.isEndStream();
      }
      ReferenceCountUtil.release(frame);
      if (ended) {
        answer(ctx);
      }
    }

    private void readLater(ChannelHandlerContext ctx) {
      ctx.executor()
          .schedule(
              () -> {
                if (ctx.channel().isActive()) {
                  ctx.read();
                  readLater(ctx);
                }
              },
              SLOW_READ.toMillis(),
              TimeUnit.MILLISECONDS);
    }

    private void answer(ChannelHandlerContext ctx) {
      var head = new DefaultHttp2Headers().status("200").set("content-type", "application/grpc");
      if (path.startsWith(HEAD)) {
        head.set("x-head", "h".repeat(Integer.parseInt(path.substring(HEAD.length()))));
      }
      ctx.write(new DefaultHttp2HeadersFrame(head));
      ByteBuf content =
          path.startsWith(BIG)
              ? Unpooled.wrappedBuffer(big, 0, Integer.parseInt(path.substring(BIG.length())))
              : Unpooled.wrappedBuffer(SMALL_ANSWER);
      ctx.write(new DefaultHttp2DataFrame(content));
      ctx.writeAndFlush(
          new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().set("grpc-status", "0"), true));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close(); // a stream that the sidecar has reset
    }
  }

  /** The fields of a request for {@code path}. */
  static String[] request(String path, String... more) {
    String[] fields = {
      ":method",
      "POST",
      ":scheme",
      "http",
      ":path",
      path,
      ":authority",
      "serving",
      "content-type",
      "application/grpc",
      "te",
      "trailers"
    };
    return Malformed.join(fields, more);
  }
}
