package io.outrigger.proxy.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.outrigger.base.LoopConfined;

/** The layers of a connection once its channel is known, from below. */
@LoopConfined
record ConnectionParts(
    ChannelHandlerContext ctx,
    ConnectionState state,
    EndOfTurn.Mark dirty,
    FrameWriter writer,
    StreamTable table,
    SendScheduler scheduler,
    ConnectionStreams streams,
    ConnectionLifecycle lifecycle,
    FrameReader reader,
    ConnectionMemory memory) {

  /**
   * The parts of a connection.
   *
   * @param dirty set when there is something to flush
   */
  static ConnectionParts of(
      boolean server,
      ConnectionSettings settings,
      ChannelHandlerContext ctx,
      EndOfTurn.Mark dirty) {
    EventLoop loop = ctx.channel().eventLoop();
    var state = new ConnectionState(server, ctx.channel());
    var writer = new FrameWriter(ctx, dirty::set);
    var decoder = new HpackDecoder(settings.maxHeaderListBytes());
    var guard = new AbuseGuard(settings.abuse(), loop.ticker());
    var table = new StreamTable(server);
    var below =
        new ConnectionStreams.Below(
            state,
            dirty,
            writer,
            new PeerSettings(!server, writer),
            guard,
            table,
            new SendScheduler(writer, ctx.alloc(), guard, settings.memory(), dirty),
            new ConnectionReceiveWindow(
                state, writer, loop, settings.connectionWindow(), settings.memory()));
    var streams = new ConnectionStreams(settings, below);
    var lifecycle = new ConnectionLifecycle(ctx, settings, streams, below);
    var reader = new FrameReader(new InboundFrames(lifecycle, streams, below, decoder), settings);
    var memory =
        new ConnectionMemory(
            new ConnectionMemory.Parts(
                ctx, state, reader, decoder, writer, table, streams, lifecycle, guard),
            settings);
    streams.account(memory.account());
    return new ConnectionParts(
        ctx, state, dirty, writer, table, below.scheduler(), streams, lifecycle, reader, memory);
  }
}
