package io.outrigger.program.warmup;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.ConnectionSettings;
import io.outrigger.http2.EventLoops;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An app that makes calls on one connection, up to ten at the same time. */
@LoopConfined
final class Caller implements ConnectionHandler {
  private static final int MAX_IN_FLIGHT = 10;
  private static final int MESSAGE_BYTES = 100;
  private static final HeaderList REQUEST =
      HeaderList.builder(7)
          .add(HeaderList.METHOD, AsciiString.cached("POST"))
          .add(HeaderList.SCHEME, AsciiString.cached("http"))
          .add(HeaderList.PATH, AsciiString.cached("/outrigger.WarmUp/Call"))
          .add(HeaderList.AUTHORITY, AsciiString.cached(SampleConfig.AUTHORITY))
          .add(AsciiString.cached("content-type"), AsciiString.cached("application/grpc"))
          .add(AsciiString.cached("te"), AsciiString.cached("trailers"))
          .add(AsciiString.cached("grpc-timeout"), AsciiString.cached("5S"))
          .build();

  private final Http2Connection connection;
  private final int calls;
  private final CompletableFuture<Integer> answered;
  private int begun;
  private int ended;
  private int succeeded;

  private Caller(Http2Connection connection, int calls, CompletableFuture<Integer> answered) {
    this.connection = connection;
    this.calls = calls;
    this.answered = answered;
  }

  /**
   * Connects to a loopback port and makes {@code calls} calls.
   *
   * @return completed on the event loop when the connection has closed, with the number of calls
   *     whose reply had the full message
   */
  static CompletableFuture<Integer> call(EventLoops loops, int port, int calls) {
    var answered = new CompletableFuture<Integer>();
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    var unused =
        new Bootstrap()
            .group(loops.loop(0))
            .channel(loops.clientChannel(address))
            .handler(
                Http2Connection.client(
                    ConnectionSettings.DEFAULT, made -> new Caller(made, calls, answered)))
            .connect(address);
    return answered;
  }

  @Override
  public void onReady() {
    for (int i = 0; i < MAX_IN_FLIGHT; i++) {
      next();
    }
  }

  private void next() {
    Call call = new Call();
    Http2Stream stream = begun < calls ? connection.openStream(call) : null;
    if (stream != null) {
      begun++;
      call.begin(stream);
    }
  }

  private void onEnded(boolean success) {
    ended++;
    succeeded += success ? 1 : 0;
    if (ended == calls) {
      connection.close(Http2Error.NO_ERROR, "warm");
    } else {
      next();
    }
  }

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    throw new IllegalStateException("a server does not open streams");
  }

  @Override
  public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

  @Override
  public void onCapacity() {}

  @Override
  public void onClosed(String reason) {
    answered.complete(succeeded);
  }

  @LoopConfined
  private final class Call implements StreamHandler {
    private @Nullable Http2Stream stream;
    private int received;

    void begin(Http2Stream opened) {
      stream = opened;
      opened.sendHeaders(REQUEST, false);
      opened.sendData(Unpooled.wrappedBuffer(new byte[MESSAGE_BYTES]), true);
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      if (endStream) {
        onEnded(received == MESSAGE_BYTES);
      }
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      int bytes = data.readableBytes();
      received += bytes;
      data.release();
      if (stream != null) {
        stream.consumed(bytes);
      }
      if (endStream) {
        // a gRPC response ends with trailers, so a response that ends with data is wrong
        onEnded(false);
      }
    }

    @Override
    public void onDataSent(int bytes) {}

    @Override
    public void onReset(Http2Error error, boolean byPeer) {
      onEnded(false);
    }

    @Override
    public void onConnectionLost(boolean refused, String reason) {}
  }
}
