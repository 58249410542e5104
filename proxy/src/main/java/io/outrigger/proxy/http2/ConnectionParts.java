package io.outrigger.proxy.http2;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.outrigger.base.LoopConfined;
import java.util.Optional;

/** What a connection consists of once its channel is known. */
@LoopConfined
record ConnectionParts(
    ChannelHandlerContext ctx,
    EndOfTurn endOfTurn,
    FrameWriter writer,
    StreamTable table,
    PeerSettings peer,
    SendScheduler outbound,
    ConnectionReceiveWindow credit,
    PeerFaults faults,
    ConnectionLifecycle course,
    HpackDecoder decoder,
    ConnectionMemory memory) {

  /**
   * The parts of {@code connection}.
   *
   * @param onWritten called when there is something to flush
   */
  static ConnectionParts of(
      SocketConnection connection,
      boolean server,
      ConnectionSettings settings,
      ChannelHandlerContext ctx,
      Runnable onWritten) {
    EventLoop loop = ctx.channel().eventLoop();
    var writer = new FrameWriter(ctx, onWritten);
    var table = new StreamTable(server);
    var peer = new PeerSettings(!server, writer, table);
    var course = new ConnectionLifecycle(connection, ctx, settings, writer, table, peer);
    var decoder = new HpackDecoder(settings.maxHeaderListBytes());
    return new ConnectionParts(
        ctx,
        EndOfTurn.of(loop),
        writer,
        table,
        peer,
        new SendScheduler(connection, writer, ctx.alloc()),
        new ConnectionReceiveWindow(
            connection, loop, settings.connectionWindow(), settings.memory()),
        new PeerFaults(connection, writer, table, new AbuseGuard(settings.abuse(), loop.ticker())),
        course,
        decoder,
        new ConnectionMemory(
            new ConnectionMemory.Parts(connection, ctx, course, writer, decoder, table), settings));
  }

  /** The connection as status views show it. */
  SocketView view(long id) {
    return new SocketView(
        id,
        Optional.ofNullable(ctx.channel().localAddress()),
        Optional.ofNullable(ctx.channel().remoteAddress()),
        table.streams(),
        course.keepAlivesSent());
  }

  /** Who understands the peer's frames. */
  InboundFrames frames(SocketConnection connection) {
    return new InboundFrames(connection, table, decoder, credit);
  }
}
