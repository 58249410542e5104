package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Our client and our server on two embedded channels, connected by a wire that splits bytes at
 * random places.
 */
final class Wire implements AutoCloseable {
  final RecordingConnection clientEvents = new RecordingConnection();
  final RecordingConnection serverEvents = new RecordingConnection();
  final Http2Connection client;
  final Http2Connection server;
  final EmbeddedChannel clientChannel;
  final EmbeddedChannel serverChannel;
  final CountedBuffers buffers = new CountedBuffers();
  private final @Nullable Random cuts;

  Wire(
      ConnectionSettings clientSettings, ConnectionSettings serverSettings, @Nullable Random cuts) {
    this.cuts = cuts;
    var made = new ArrayList<Http2Connection>();
    clientChannel =
        buffers.channel(
            new EmbeddedChannel(),
            Http2Connection.client(clientSettings, added -> keep(made, added, clientEvents)));
    serverChannel =
        buffers.channel(
            new EmbeddedChannel(),
            Http2Connection.server(serverSettings, added -> keep(made, added, serverEvents)));
    client = made.get(0);
    server = made.get(1);
  }

  private static ConnectionHandler keep(
      List<Http2Connection> made, Http2Connection added, ConnectionHandler events) {
    made.add(added);
    return events;
  }

  static Wire open() {
    return open(ConnectionSettings.DEFAULT, ConnectionSettings.DEFAULT);
  }

  static Wire open(ConnectionSettings clientSettings, ConnectionSettings serverSettings) {
    var wire = new Wire(clientSettings, serverSettings, null);
    wire.run();
    return wire;
  }

  /** Opens a stream of the client and sends its head. */
  RecordingStream request(HeaderList head, boolean endStream) {
    var recorder = new RecordingStream();
    Http2Stream stream = client.openStream(recorder);
    if (stream == null) {
      throw new IllegalStateException("no stream can be opened");
    }
    recorder.stream = stream;
    stream.sendHeaders(head, endStream);
    return recorder;
  }

  /** Transfers bytes in both directions until none are left. */
  void run() {
    boolean moved = true;
    while (moved) {
      moved = carry(clientChannel, serverChannel);
      moved |= carry(serverChannel, clientChannel);
    }
  }

  private boolean carry(EmbeddedChannel from, EmbeddedChannel to) {
    from.runPendingTasks();
    ByteBuf bytes = from.readOutbound();
    if (bytes == null) {
      return false;
    }
    if (!to.isActive()) {
      bytes.release();
      return true;
    }
    if (cuts == null) {
      to.writeInbound(bytes);
      return true;
    }
    while (bytes.isReadable() && to.isActive()) {
      int cut = Math.min(bytes.readableBytes(), 1 + cuts.nextInt(cuts.nextBoolean() ? 4 : 3000));
      to.writeInbound(bytes.readRetainedSlice(cut));
    }
    bytes.release();
    return true;
  }

  @Override
  public void close() {
    clientChannel.finishAndReleaseAll();
    serverChannel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }
}
