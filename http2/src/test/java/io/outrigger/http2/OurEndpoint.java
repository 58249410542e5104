package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.ConnectionSettings.Windows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Our connection. Its handlers hold every received byte, so that windows are used up. */
@LoopConfined
final class OurEndpoint extends Endpoint implements ConnectionHandler {
  private static final int NO_LIMIT = 1 << 20;

  static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withMaxConcurrentStreams(MAX_STREAMS)
          .withWindows(new Windows(STREAM_WINDOW, STREAM_WINDOW, ConnectionSettings.INITIAL_WINDOW))
          .withMaxHeaderListBytes(MAX_HEADER_LIST)
          .withAbuse(
              new AbuseLimits(Duration.ofSeconds(30), NO_LIMIT, NO_LIMIT, NO_LIMIT, 8 << 20));

  private final CountedBuffers buffers = new CountedBuffers();
  private Http2Connection connection;
  private final EmbeddedChannel channel;
  private final Map<Integer, Http2Stream> streams = new HashMap<>();

  OurEndpoint(boolean server) {
    super(server);
    channel =
        buffers.channel(
            new EmbeddedChannel(),
            server
                ? Http2Connection.server(SETTINGS, this::heardBy)
                : Http2Connection.client(SETTINGS, this::heardBy));
  }

  private ConnectionHandler heardBy(Http2Connection added) {
    connection = added;
    return this;
  }

  @Override
  EmbeddedChannel channel() {
    return channel;
  }

  @Override
  ByteBuf copy(byte[] bytes) {
    return buffers.copy(bytes);
  }

  @Override
  boolean canOpen() {
    return connection.streams.canOpen();
  }

  @Override
  boolean canSend(int id) {
    Http2Stream stream = streams.get(id);
    return stream != null && ((SocketStream) stream).isOpenForSending();
  }

  @Override
  boolean isAlive(int id) {
    return streams.containsKey(id);
  }

  @Override
  void sendHead(int id, boolean end) {
    Http2Stream stream = streams.get(id);
    if (stream == null) {
      var heard = new Heard();
      stream = connection.openStream(heard);
      if (stream == null) {
        throw new AssertionError("a stream could be opened");
      }
      heard.stream = stream;
      streams.put(id, stream);
    }
    stream.sendHeaders(server ? Messages.OK : Messages.POST, end);
  }

  @Override
  void sendData(int id, ByteBuf data, boolean end) {
    streams.get(id).sendData(data, end);
  }

  @Override
  void sendTrailers(int id) {
    streams.get(id).sendHeaders(Messages.TRAILERS, true);
  }

  @Override
  void reset(int id) {
    streams.get(id).reset(Http2Error.CANCEL);
  }

  @Override
  int active() {
    return connection.activeStreams();
  }

  /** Removes streams of which both halves have ended; such an end is not reported by an event. */
  private void forget() {
    streams.values().removeIf(stream -> ((SocketStream) stream).isGone());
  }

  @Override
  void settle() {
    forget();
  }

  @Override
  public void onReady() {}

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    streams.put(((SocketStream) stream).id(), stream);
    var heard = new Heard();
    heard.stream = stream;
    return heard;
  }

  @Override
  public void onGoAway(int lastStreamId, Http2Error error, String debug) {
    heard.add(new GoAway(lastStreamId, error));
  }

  @Override
  public void onCapacity() {}

  @Override
  public void onClosed(String reason) {}

  @Override
  public void close() {
    channel.checkException();
    channel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }

  /** The events of one stream. */
  @LoopConfined
  private final class Heard implements StreamHandler {
    private Http2Stream stream;

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      List<String> fields = new ArrayList<>();
      for (int i = 0; i < headers.size(); i++) {
        fields.add(headers.name(i) + "=" + headers.value(i));
      }
      heard.add(new Headers(((SocketStream) stream).id(), normal(fields), endStream));
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      heardData(((SocketStream) stream).id(), data, endStream);
      data.release();
    }

    @Override
    public void onDataSent(int bytes) {}

    @Override
    public void onReset(Http2Error error) {
      heard.add(new Reset(((SocketStream) stream).id(), error));
    }

    @Override
    public void onFault(Http2Error error, String reason) {}

    @Override
    public void onConnectionLost(Refusal refused, String reason) {}
  }
}
