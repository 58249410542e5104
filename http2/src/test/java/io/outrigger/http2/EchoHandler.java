package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Sends received DATA back, and returns credit only for DATA that was sent: flow control is coupled
 * from end to end.
 */
@LoopConfined
final class EchoHandler implements ConnectionHandler {
  @Override
  public void onReady() {}

  @Override
  public StreamHandler onStream(Http2Stream stream) {
    return new EchoStream(stream);
  }

  @Override
  public void onGoAway(int lastStreamId, Http2Error error, String debug) {}

  @Override
  public void onCapacity() {}

  @Override
  public void onClosed(String reason) {}

  @LoopConfined
  private static final class EchoStream implements StreamHandler {
    private final Http2Stream stream;
    private @Nullable HeaderList head;

    EchoStream(Http2Stream stream) {
      this.stream = stream;
    }

    @Override
    public void onTooLarge(HeaderList fitting, boolean endStream) {
      stream.sendHeaders(HeaderList.builder(1).add(KnownName.STATUS, "431").build(), true);
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      if (head == null) {
        head = headers;
        stream.sendHeaders(Messages.OK, false);
      }
      if (endStream) {
        stream.sendHeaders(Messages.TRAILERS, true);
      }
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      stream.sendData(data, false);
      if (endStream) {
        stream.sendHeaders(Messages.TRAILERS, true);
      }
    }

    @Override
    public void onDataSent(int bytes) {
      stream.consumed(bytes);
    }

    @Override
    public void onReset(Http2Error error) {}

    @Override
    public void onConnectionLost(Refusal refused, String reason) {}
  }
}
