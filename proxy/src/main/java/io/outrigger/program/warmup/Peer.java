package io.outrigger.program.warmup;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionHandler;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Connection;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import java.util.concurrent.CompletableFuture;

/** One end of the warm-up's calls. Events that a subclass does not override have no effect. */
@LoopConfined
abstract class Peer implements ConnectionHandler, StreamHandler {
  private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
  private static final AsciiString GRPC = AsciiString.cached("application/grpc");

  /** An app that makes calls on one connection, one after the other. */
  @LoopConfined
  static final class App extends Peer {
    private static final int MESSAGE_BYTES = 100;
    private static final HeaderList REQUEST =
        HeaderList.builder(7)
            .add(HeaderList.METHOD, AsciiString.cached("POST"))
            .add(HeaderList.SCHEME, AsciiString.cached("http"))
            .add(HeaderList.PATH, AsciiString.cached("/outrigger.WarmUp/Call"))
            .add(HeaderList.AUTHORITY, AsciiString.cached(WarmUp.AUTHORITY))
            .add(CONTENT_TYPE, GRPC)
            .add(AsciiString.cached("te"), AsciiString.cached("trailers"))
            .add(AsciiString.cached("grpc-timeout"), AsciiString.cached("5S"))
            .build();

    private final Http2Connection connection;
    private final int calls;
    private final CompletableFuture<Integer> answered;
    private int ended;
    private int succeeded;

    /**
     * @param answered completed when the connection has closed, with the number of calls whose
     *     reply had the full message
     */
    App(Http2Connection connection, int calls, CompletableFuture<Integer> answered) {
      this.connection = connection;
      this.calls = calls;
      this.answered = answered;
    }

    /** Begins the next call, or closes the connection after the last one. */
    @Override
    public void onReady() {
      var call = new Call();
      Http2Stream stream = ended < calls ? connection.openStream(call) : null;
      if (stream == null) {
        connection.close(Http2Error.NO_ERROR, "warm");
      } else {
        stream.sendHeaders(REQUEST, false);
        stream.sendData(Unpooled.wrappedBuffer(new byte[MESSAGE_BYTES]), true);
      }
    }

    @Override
    public void onClosed(String reason) {
      answered.complete(succeeded);
    }

    private final class Call extends Peer {
      private int received;

      @Override
      public void onHeaders(HeaderList headers, boolean endStream) {
        if (endStream) { // trailers
          end(received == MESSAGE_BYTES);
        }
      }

      @Override
      public void onData(ByteBuf data, boolean endStream) {
        received += data.readableBytes(); // the stream's first window holds the whole message
        data.release();
        if (endStream) {
          end(false);
        }
      }

      @Override
      public void onReset(Http2Error error, boolean byPeer) {
        end(false);
      }

      private void end(boolean success) {
        ended++;
        succeeded += success ? 1 : 0;
        App.this.onReady();
      }
    }
  }

  /** A connection to the backend, which echoes the message of every call with status OK. */
  @LoopConfined
  static final class Backend extends Peer {
    private static final HeaderList HEADERS =
        HeaderList.builder(2)
            .add(HeaderList.STATUS, AsciiString.cached("200"))
            .add(CONTENT_TYPE, GRPC)
            .build();
    private static final HeaderList TRAILERS =
        HeaderList.builder(1)
            .add(AsciiString.cached("grpc-status"), AsciiString.cached("0"))
            .build();

    @Override
    public StreamHandler onStream(Http2Stream stream) {
      return new Peer() {
        @Override
        public void onHeaders(HeaderList headers, boolean endStream) {
          stream.sendHeaders(HEADERS, false);
        }

        @Override
        public void onData(ByteBuf data, boolean endStream) {
          int bytes = data.readableBytes();
          stream.sendData(data, false);
          stream.consumed(bytes); // returned at once, since one small message needs no flow control
          if (endStream) {
            stream.sendHeaders(TRAILERS, true);
          }
        }
      };
    }
  }

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    throw new IllegalStateException("a backend does not open streams");
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {}

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    data.release();
  }

  @Override
  public void onDataSent(int bytes) {}

  @Override
  public void onReset(Http2Error error, boolean byPeer) {}

  @Override
  public void onConnectionLost(boolean refused, String reason) {}
}
