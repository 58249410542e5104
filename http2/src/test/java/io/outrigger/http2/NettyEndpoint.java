package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.AbstractHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.outrigger.base.LoopConfined;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Netty's connection with its rules for streams, but without its limits against floods. */
@LoopConfined
final class NettyEndpoint extends Endpoint {
  private static final int NO_LIMIT = 1 << 20;

  /**
   * An allocator without leak detection, because Netty may keep pending DATA when an error ends the
   * connection.
   */
  private final ByteBufAllocator alloc = new UnpooledByteBufAllocator(false, true);

  private final Http2ConnectionHandler handler;
  private final EmbeddedChannel channel;

  NettyEndpoint(boolean server) {
    super(server);
    Http2Settings settings =
        new Http2Settings().initialWindowSize(STREAM_WINDOW).maxHeaderListSize(MAX_HEADER_LIST);
    if (server) {
      settings.maxConcurrentStreams(MAX_STREAMS);
    } else {
      settings.pushEnabled(false);
    }
    handler = new Builder(server, new Heard(), settings).build();
    channel = new EmbeddedChannel();
    channel.config().setAllocator(alloc);
    channel.pipeline().addLast(handler);
  }

  private Http2Connection connection() {
    return handler.connection();
  }

  private ChannelHandlerContext ctx() {
    return channel.pipeline().firstContext();
  }

  @Override
  EmbeddedChannel channel() {
    return channel;
  }

  @Override
  ByteBuf copy(byte[] bytes) {
    return alloc.buffer(Math.max(1, bytes.length)).writeBytes(bytes);
  }

  @Override
  boolean canOpen() {
    return handler.decoder().prefaceReceived()
        && channel.isActive()
        && connection().local().canOpenStream()
        && !connection().goAwayReceived();
  }

  @Override
  boolean canSend(int id) {
    var stream = connection().stream(id);
    return stream != null && id != 0 && stream.state().localSideOpen();
  }

  @Override
  boolean isAlive(int id) {
    return id != 0 && connection().stream(id) != null;
  }

  @Override
  void sendHead(int id, boolean end) {
    write(id, server ? Messages.OK : Messages.POST, end);
  }

  private void write(int id, HeaderList list, boolean end) {
    Http2Headers headers = new DefaultHttp2Headers();
    for (int i = 0; i < list.size(); i++) {
      headers.add(list.name(i), list.value(i));
    }
    var unused = handler.encoder().writeHeaders(ctx(), id, headers, 0, end, ctx().newPromise());
    handler.flush(ctx());
  }

  @Override
  void sendData(int id, ByteBuf data, boolean end) {
    var unused = handler.encoder().writeData(ctx(), id, data, 0, end, ctx().newPromise());
    handler.flush(ctx());
  }

  @Override
  void sendTrailers(int id) {
    write(id, Messages.TRAILERS, true);
  }

  @Override
  void reset(int id) {
    var unused =
        handler.encoder().writeRstStream(ctx(), id, Http2Error.CANCEL.code(), ctx().newPromise());
    handler.flush(ctx());
  }

  @Override
  int active() {
    return connection().numActiveStreams();
  }

  @Override
  void settle() {}

  @Override
  public void close() {
    channel.finishAndReleaseAll();
  }

  /** Netty's builder with access to its protected methods. */
  private static final class Builder
      extends AbstractHttp2ConnectionHandlerBuilder<Http2ConnectionHandler, Builder> {
    Builder(boolean server, Heard heard, Http2Settings settings) {
      server(server);
      frameListener(heard);
      initialSettings(settings);
      validateRequiredPseudoHeaders(true);
      decoderEnforceMaxConsecutiveEmptyDataFrames(0);
      decoderEnforceMaxSmallContinuationFrames(NO_LIMIT);
      decoderEnforceMaxRstFramesPerWindow(0, 0);
      encoderEnforceMaxRstFramesPerWindow(0, 0);
      encoderEnforceMaxQueuedControlFrames(0);
      encoderIgnoreMaxHeaderListSize(true);
    }

    @Override
    protected Http2ConnectionHandler build() {
      return super.build();
    }

    @Override
    protected Http2ConnectionHandler build(
        Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
      return new Http2ConnectionHandler(decoder, encoder, settings) {};
    }
  }

  /** The events of the layer above. */
  private final class Heard extends Http2FrameAdapter {
    @Override
    public int onDataRead(
        ChannelHandlerContext ctx, int id, ByteBuf data, int padding, boolean endOfStream) {
      heardData(id, data, endOfStream);
      return padding; // the content is not consumed
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int id,
        Http2Headers headers,
        int dependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean endStream) {
      List<String> fields = new ArrayList<>();
      for (Map.Entry<CharSequence, CharSequence> field : headers) {
        fields.add(
            new NettyHpack.Field(field.getKey().toString(), field.getValue().toString())
                .toString());
      }
      heard.add(new Headers(id, normal(fields), endStream));
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int id, long code) {
      heard.add(new Reset(id, Http2Error.ofCode(code)));
    }

    @Override
    public void onGoAwayRead(ChannelHandlerContext ctx, int last, long code, ByteBuf debug) {
      heard.add(new GoAway(last, Http2Error.ofCode(code)));
    }
  }
}
