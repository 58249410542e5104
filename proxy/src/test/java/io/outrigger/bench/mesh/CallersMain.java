package io.outrigger.bench.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.http2.FrameType;
import io.outrigger.http2.testing.Frames;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Callers with a client certificate, which h2load does not have. Each line {@code calls PORT
 * CONNECTIONS STREAMS SECONDS} on standard input opens the connections, prints {@code connected},
 * keeps that number of calls going on each connection, and prints {@code done CALLS FAILED
 * REPLY-BYTES}. The program ends with standard input. A connection that the proxy closes ends the
 * program, too.
 *
 * <p>All connections belong to one event loop.
 */
public final class CallersMain {
  private static final int MOST_SECONDS_AFTERWARDS = 10;

  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final SslContext tls;
  private final byte[] opening;
  private final byte[] head;
  private final byte[] body;

  /** What the callers of one line share. */
  private static final class Load {
    final int connections;
    final int streams;
    final CompletableFuture<Void> over = new CompletableFuture<>();
    boolean isEnding;
    int open;
    long running;
    long done;
    long failed;
    long replyBytes;

    Load(int connections, int streams) {
      this.connections = connections;
      this.streams = streams;
    }
  }

  private CallersMain(SslContext tls, byte[] opening, byte[] head, byte[] body) {
    this.tls = tls;
    this.opening = opening;
    this.head = head;
    this.body = body;
  }

  /**
   * @param args files with the client's chain, its key and the roots; in hexadecimal, the first
   *     bytes of a connection, and the header block and the body of a request
   */
  public static void main(String[] args) throws Exception {
    SslContext tls =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.OPENSSL)
            .keyManager(new File(args[0]), new File(args[1]))
            .trustManager(new File(args[2]))
            .endpointIdentificationAlgorithm("")
            .applicationProtocolConfig(
                new ApplicationProtocolConfig(
                    Protocol.ALPN,
                    SelectorFailureBehavior.NO_ADVERTISE,
                    SelectedListenerFailureBehavior.ACCEPT,
                    "h2"))
            .build();
    HexFormat hex = HexFormat.of();
    var callers =
        new CallersMain(tls, hex.parseHex(args[3]), hex.parseHex(args[4]), hex.parseHex(args[5]));
    var commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      String[] words = line.split(" ", -1);
      Load load = new Load(Integer.parseInt(words[2]), Integer.parseInt(words[3]));
      callers.make(load, Integer.parseInt(words[1]), Double.parseDouble(words[4]));
      System.out.println("done " + load.done + " " + load.failed + " " + load.replyBytes);
    }
    System.exit(0);
  }

  private void make(Load load, int port, double seconds) throws Exception {
    List<Channel> channels = new ArrayList<>();
    for (int i = 0; i < load.connections; i++) {
      channels.add(connect(load, port));
    }
    Thread.sleep((long) (seconds * 1000));
    loop.submit(() -> load.isEnding = true).sync();
    load.over.get(MOST_SECONDS_AFTERWARDS, SECONDS);
    for (Channel channel : channels) {
      channel.close().sync();
    }
  }

  private Channel connect(Load load, int port) throws InterruptedException {
    return new Bootstrap()
        .group(loop)
        .channel(EpollSocketChannel.class)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(tls.newHandler(channel.alloc()), new Caller(load));
              }
            })
        .connect(InetAddress.getLoopbackAddress(), port)
        .sync()
        .channel();
  }

  /** A connection, whose calls begin when the proxy's SETTINGS have come. */
  private final class Caller extends ByteToMessageDecoder {
    private final Load load;
    private int nextStream = 1;
    private int ended;

    Caller(Load load) {
      this.load = load;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(Unpooled.wrappedBuffer(opening));
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
      if (in.readableBytes() < FrameType.HEADER_BYTES) {
        return;
      }
      int length = in.getUnsignedMedium(in.readerIndex());
      if (in.readableBytes() < FrameType.HEADER_BYTES + length) {
        return;
      }
      onFrame(ctx, in.getByte(in.readerIndex() + 3), in.getByte(in.readerIndex() + 4), length);
      in.skipBytes(FrameType.HEADER_BYTES + length);
    }

    private void onFrame(ChannelHandlerContext ctx, int type, int flags, int length) {
      switch (type) {
        case FrameType.DATA -> {
          load.replyBytes += length;
          ended += flags & FrameType.FLAG_END_STREAM;
        }
        case FrameType.HEADERS -> ended += flags & FrameType.FLAG_END_STREAM;
        case FrameType.RST_STREAM -> {
          load.failed++;
          ended++;
        }
        case FrameType.SETTINGS -> {
          if ((flags & FrameType.FLAG_ACK) == 0) {
            ctx.writeAndFlush(Unpooled.wrappedBuffer(Frames.settingsAck()));
            onOpen(ctx);
          }
        }
        case FrameType.GOAWAY -> throw new IllegalStateException("the proxy has sent GOAWAY");
        default -> {
          // WINDOW_UPDATE: the calls under way are far smaller than the first window
        }
      }
    }

    private void onOpen(ChannelHandlerContext ctx) {
      load.open++;
      if (load.open == load.connections) {
        System.out.println("connected");
      }
      begin(ctx, load.streams);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      int over = ended;
      ended = 0;
      load.done += over;
      load.running -= over;
      if (over > 0 && !load.isEnding) {
        begin(ctx, over);
      }
      if (load.isEnding && load.running == 0) {
        load.over.complete(null);
      }
      ctx.flush();
    }

    private void begin(ChannelHandlerContext ctx, int calls) {
      load.running += calls;
      ByteBuf frames =
          ctx.alloc()
              .directBuffer(calls * (2 * FrameType.HEADER_BYTES + head.length + body.length));
      for (int i = 0; i < calls; i++) {
        frames
            .writeMedium(head.length)
            .writeByte(FrameType.HEADERS)
            .writeByte(FrameType.FLAG_END_HEADERS);
        frames.writeInt(nextStream).writeBytes(head);
        frames
            .writeMedium(body.length)
            .writeByte(FrameType.DATA)
            .writeByte(FrameType.FLAG_END_STREAM);
        frames.writeInt(nextStream).writeBytes(body);
        nextStream += 2;
      }
      ctx.writeAndFlush(frames);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      cause.printStackTrace();
      System.exit(1);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
      if (!load.over.isDone()) {
        System.err.println("the proxy closed a connection");
        System.exit(1);
      }
    }
  }
}
