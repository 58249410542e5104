package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.outrigger.http2.testing.Frame;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The peer of one of our connections, without a socket: the test writes bytes and reads frames. */
final class RawPeer implements AutoCloseable {
  final RecordingConnection events = new RecordingConnection();
  final Http2Connection connection;
  final EmbeddedChannel channel;
  private final MockTicker ticker = Ticker.newMockTicker();
  final CountedBuffers buffers = new CountedBuffers();
  private ByteBuf unread = Unpooled.buffer();

  private RawPeer(boolean server, ConnectionSettings settings) {
    this(server, settings, EmbeddedChannel.Builder::build);
  }

  private RawPeer(
      boolean server,
      ConnectionSettings settings,
      Function<EmbeddedChannel.Builder, EmbeddedChannel> channels) {
    var made = new AtomicReference<Http2Connection>();
    Function<Http2Connection, ConnectionHandler> handlers =
        added -> {
          made.set(added);
          return events;
        };
    channel =
        buffers.channel(
            channels.apply(EmbeddedChannel.builder().ticker(ticker)),
            server
                ? Http2Connection.server(settings, handlers)
                : Http2Connection.client(settings, handlers));
    connection = made.get();
  }

  /** A client of our server, before the preface. */
  static RawPeer silentClient(ConnectionSettings settings) {
    return new RawPeer(true, settings);
  }

  /** A client that has exchanged SETTINGS with our server. */
  static RawPeer client(ConnectionSettings settings) {
    var peer = new RawPeer(true, settings);
    peer.send(Frames.PREFACE, Frames.settings(), Frames.settingsAck());
    var unused = peer.read();
    return peer;
  }

  static RawPeer client() {
    return client(ConnectionSettings.DEFAULT);
  }

  /** A server that has exchanged SETTINGS with our client. */
  static RawPeer server(ConnectionSettings settings, int... idsAndValues) {
    var peer = new RawPeer(false, settings);
    peer.send(Frames.settings(idsAndValues), Frames.settingsAck());
    ByteBuf out = peer.take();
    out.skipBytes(Frames.PREFACE.length);
    var unused = peer.read();
    return peer;
  }

  static RawPeer silentServer() {
    return new RawPeer(false, ConnectionSettings.DEFAULT);
  }

  /** The peer of a {@link MemorySocket}, before any byte was sent. */
  static RawPeer atSocket(boolean server, ConnectionSettings settings) {
    return new RawPeer(server, settings, MemorySocket::new);
  }

  /** The client end of a {@link MemorySocket}, after SETTINGS were exchanged with our server. */
  static RawPeer clientAtSocket(ConnectionSettings settings) {
    RawPeer peer = atSocket(true, settings);
    peer.send(Frames.PREFACE, Frames.settings(), Frames.settingsAck());
    var unused = peer.read();
    return peer;
  }

  /** The server end of a {@link MemorySocket}, after SETTINGS were exchanged with our client. */
  static RawPeer serverAtSocket(ConnectionSettings settings) {
    RawPeer peer = atSocket(false, settings);
    peer.send(Frames.settings(), Frames.settingsAck());
    peer.take().skipBytes(Frames.PREFACE.length);
    var unused = peer.read();
    return peer;
  }

  MemorySocket socket() {
    return (MemorySocket) channel;
  }

  void send(byte[]... parts) {
    for (byte[] part : parts) {
      if (channel.isActive()) {
        channel.writeInbound(buffers.copy(part));
      }
    }
  }

  RecordingStream open(HeaderList head, boolean endStream) {
    var recorder = new RecordingStream();
    Http2Stream stream = connection.openStream(recorder);
    if (stream == null) {
      throw new IllegalStateException("no stream can be opened");
    }
    recorder.stream = stream;
    stream.sendHeaders(head, endStream);
    return recorder;
  }

  /** Sets whether the socket accepts bytes from now on. */
  void socketTakes(boolean takes) {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, takes);
    channel.runPendingTasks();
  }

  void advance(Duration time) {
    ticker.advance(time.toNanos(), TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  /** The bytes that were written. */
  ByteBuf take() {
    channel.runPendingTasks();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      unread.writeBytes(out);
      out.release();
    }
    return unread;
  }

  /** The frames written since the last call. */
  List<Frame> read() {
    ByteBuf in = take();
    List<Frame> frames = new ArrayList<>();
    while (in.readableBytes() >= 9) {
      byte[] payload = new byte[in.readUnsignedMedium()];
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int streamId = in.readInt();
      in.readBytes(payload);
      frames.add(new Frame(type, flags, streamId, payload));
    }
    unread = Unpooled.buffer();
    return frames;
  }

  /** The frames written since the last call as text; empty when there are none. */
  String answer() {
    return read().stream().map(Frame::toString).collect(Collectors.joining(", "));
  }

  boolean isOpen() {
    return channel.isActive();
  }

  @Override
  public void close() {
    channel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }
}
