package io.outrigger.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;

/** Streams of a server without a connection: no frames are received for them. */
final class LooseStreams implements AutoCloseable {
  final ConnectionStreams streams;
  private final CountedBuffers buffers = new CountedBuffers();
  private final EmbeddedChannel channel =
      buffers.channel(new EmbeddedChannel(), new ChannelInboundHandlerAdapter());
  final FrameWriter writer;

  LooseStreams() {
    ChannelHandlerContext ctx = channel.pipeline().firstContext();
    ConnectionSettings settings = ConnectionSettings.DEFAULT;
    var state = new ConnectionState(true, channel);
    state.enter(ConnectionState.Phase.OPEN);
    LoopTurn.Mark dirty = LoopTurn.of(channel.eventLoop()).mark("test", () -> {}, now -> {});
    writer = new FrameWriter(ctx, dirty::set);
    var guard = new AbuseGuard(true, settings.abuse(), channel.eventLoop().ticker(), dirty::onWork);
    streams = new ConnectionStreams(ctx, settings, state, dirty, writer, guard);
  }

  /** Opens a stream with a request that has not ended. */
  SocketStream open(int id) {
    SocketStream stream = streams.openByPeer(id, Messages.POST);
    stream.handler(new RecordingStream());
    return stream;
  }

  /** Sets whether the socket accepts bytes from now on. */
  void socketTakes(boolean takes) {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, takes);
  }

  @Override
  public void close() {
    for (SocketStream stream : streams.table().snapshot()) {
      stream.reset(Http2Error.CANCEL);
    }
    writer.release();
    channel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }
}
