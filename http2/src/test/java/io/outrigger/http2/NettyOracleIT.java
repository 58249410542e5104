package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.EventLoops.TransportKind;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid traffic between our implementation and Netty's HTTP/2, which serves as the oracle. */
final class NettyOracleIT {
  private static final int CALLS = 60;

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 65_535, 1 << 20})
  void nettysClientTalksToOurServer(int window) throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 2)) {
      int initial = Math.max(100, window);
      var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(initial, initial, 1 << 20));
      InetSocketAddress address =
          sockets.listen(() -> Http2Connection.server(settings, added -> new EchoHandler()));
      Channel channel =
          sockets.connect(
              address,
              initializer(
                  Http2FrameCodecBuilder.forClient()
                      .initialSettings(
                          Http2Settings.defaultSettings().initialWindowSize(Math.max(100, window)))
                      .build(),
                  new Http2MultiplexHandler(new ChannelInboundHandlerAdapter())));
      var random = new Random(window);
      List<byte[]> said = new ArrayList<>();
      List<NettyCall> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        var call = new NettyCall();
        byte[] content = content(random, window);
        said.add(content);
        calls.add(call);
        Http2StreamChannel stream =
            new Http2StreamChannelBootstrap(channel).handler(call).open().sync().getNow();
        var head = new DefaultHttp2Headers();
        head.method("POST").scheme("http").path("/s/m").authority("a");
        for (int field = random.nextInt(8); field > 0; field--) {
          head.add("x-field-" + field, "v".repeat(random.nextInt(2000)));
        }
        var unused = stream.write(new DefaultHttp2HeadersFrame(head, false));
        for (ByteBuf part : parts(random, content)) {
          unused = stream.write(new DefaultHttp2DataFrame(part, false, random.nextInt(3) * 50));
        }
        unused = stream.writeAndFlush(new DefaultHttp2DataFrame(true));
      }

      for (int i = 0; i < CALLS; i++) {
        List<Http2Headers> heads = calls.get(i).done.get(120, TimeUnit.SECONDS);
        assertThat(calls.get(i).content.toByteArray()).isEqualTo(said.get(i));
        assertThat(heads).hasSize(2);
        assertThat((Object) heads.get(0).status()).hasToString("200");
        assertThat((Object) heads.get(1).get("grpc-status")).hasToString("0");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 65_535, 1 << 20})
  void ourClientTalksToNettysServer(int window) throws Exception {
    try (var sockets = new Sockets(TransportKind.AUTO, 2)) {
      InetSocketAddress address =
          sockets.listen(
              () ->
                  initializer(
                      Http2FrameCodecBuilder.forServer()
                          .initialSettings(
                              Http2Settings.defaultSettings().initialWindowSize(window))
                          .build(),
                      new Http2MultiplexHandler(new NettyEcho())));
      var settings = ConnectionSettings.DEFAULT.withWindows(new Windows(window, window, 1 << 20));
      var ready = new CompletableFuture<Http2Connection>();
      var events = new RecordingConnection();
      Channel channel =
          sockets.connect(
              address, Http2Connection.client(settings, added -> new Ready(events, added, ready)));
      Http2Connection client = ready.get(60, TimeUnit.SECONDS);
      var random = new Random(window);
      List<byte[]> said = new ArrayList<>();
      List<OurCall> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        byte[] content = content(random, window);
        List<ByteBuf> parts = parts(random, content);
        var call = new OurCall();
        said.add(content);
        calls.add(call);
        channel.eventLoop().execute(() -> call.start(client, parts));
      }

      for (int i = 0; i < CALLS; i++) {
        List<HeaderList> heads = calls.get(i).done.get(120, TimeUnit.SECONDS);
        assertThat(calls.get(i).content.toByteArray()).isEqualTo(said.get(i));
        assertThat((Object) heads.get(0).get(KnownName.STATUS)).hasToString("200");
        assertThat(heads.get(1).toString()).isEqualTo("x-trailer=yes");
      }
    }
  }

  private static ChannelHandler initializer(ChannelHandler... handlers) {
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(handlers);
      }
    };
  }

  private static byte[] content(Random random, int window) {
    byte[] content = new byte[random.nextInt(window <= 100 ? 5000 : 300_000)];
    random.nextBytes(content);
    return content;
  }

  private static List<ByteBuf> parts(Random random, byte[] content) {
    List<ByteBuf> parts = new ArrayList<>();
    for (int at = 0; at < content.length; ) {
      int cut =
          Math.min(content.length - at, 1 + random.nextInt(random.nextBoolean() ? 90 : 40_000));
      parts.add(Unpooled.copiedBuffer(content, at, cut));
      at += cut;
    }
    return parts;
  }

  /** A call of Netty's client. */
  private static final class NettyCall extends ChannelInboundHandlerAdapter {
    final CompletableFuture<List<Http2Headers>> done = new CompletableFuture<>();
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<Http2Headers> heads = new ArrayList<>();

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2HeadersFrame frame) {
        heads.add(frame.headers());
        if (frame.isEndStream()) {
          done.complete(heads);
        }
      } else if (message instanceof Http2DataFrame frame) {
        content.writeBytes(ByteBufUtil.getBytes(frame.content()));
      }
      ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      done.completeExceptionally(new IllegalStateException("stream ended early"));
    }
  }

  /** Netty's server side of a stream. */
  @ChannelHandler.Sharable
  private static final class NettyEcho extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2HeadersFrame) {
        var head = new DefaultHttp2Headers();
        head.status("200");
        var unused = ctx.write(new DefaultHttp2HeadersFrame(head, false));
      } else if (message instanceof Http2DataFrame frame) {
        var unused = ctx.writeAndFlush(new DefaultHttp2DataFrame(frame.content(), false));
        if (frame.isEndStream()) {
          var trailers = new DefaultHttp2Headers();
          trailers.add("x-trailer", "yes");
          unused = ctx.writeAndFlush(new DefaultHttp2HeadersFrame(trailers, true));
        }
      } else {
        ReferenceCountUtil.release(message);
      }
    }
  }

  private record Ready(
      RecordingConnection events,
      Http2Connection connection,
      CompletableFuture<Http2Connection> ready)
      implements ConnectionHandler {
    @Override
    public void onReady() {
      ready.complete(connection);
    }

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      return events.onStream(stream);
    }

    @Override
    public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

    @Override
    public void onCapacity() {}

    @Override
    public void onClosed(String reason) {}
  }

  /** A call of our client. */
  @LoopConfined
  private static final class OurCall implements StreamHandler {
    final CompletableFuture<List<HeaderList>> done = new CompletableFuture<>();
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final List<HeaderList> heads = new ArrayList<>();
    private @Nullable Http2Stream stream;

    void start(Http2Connection client, List<ByteBuf> parts) {
      Http2Stream opened = client.openStream(this);
      // The socket is full: the call waits, as it does when all streams are in use.
      if (opened == null) {
        var unused =
            client.eventLoop().schedule(() -> start(client, parts), 1, TimeUnit.MILLISECONDS);
        return;
      }
      stream = opened;
      opened.sendHeaders(Messages.POST, false);
      parts.forEach(part -> opened.sendData(part, false));
      opened.sendData(Unpooled.EMPTY_BUFFER, true);
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      heads.add(headers);
      if (endStream) {
        done.complete(heads);
      }
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      int bytes = data.readableBytes();
      content.writeBytes(ByteBufUtil.getBytes(data));
      data.release();
      if (stream != null) {
        stream.consumed(bytes);
      }
    }

    @Override
    public void onDataSent(int bytes) {}

    @Override
    public void onReset(Http2Error error) {
      done.completeExceptionally(new IllegalStateException("reset " + error));
    }

    @Override
    public void onConnectionLost(Refusal refused, String reason) {
      done.completeExceptionally(new IllegalStateException(reason));
    }
  }
}
