package io.outrigger.observe.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpExpectationFailedEvent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.outrigger.base.LoopConfined;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the requests of a connection one at a time. Pipelined requests stay undecoded until the
 * socket has taken the response to the request before them. At {@link #MAX_WAITING_BYTES} undecoded
 * bytes the socket is no longer read. Below that it is read, because only a read detects that the
 * peer has closed the connection.
 */
@LoopConfined
final class PacedRequests extends HttpRequestDecoder {
  // the line contains an explained request with its cookies
  static final int MAX_LINE_BYTES = 64 * 1024;
  // browsers send the cookies of all ports of the host
  static final int MAX_HEADER_BYTES = 64 * 1024;
  static final int MAX_HEADERS = 100; // each header uses far more heap than its bytes
  static final int MAX_WAITING_BYTES = 8 * 1024;
  private static final int MAX_CHUNK_BYTES = 8 * 1024;

  /**
   * The number of completely received requests, and below it the number of responses that the
   * socket has taken.
   */
  private long ended;

  private long answered;
  private boolean discarding;

  PacedRequests() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(MAX_LINE_BYTES)
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setMaxChunkSize(MAX_CHUNK_BYTES)
            .setHeadersFactory(new CountedHeaders())
            .setTrailersFactory(new CountedHeaders()));
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws Exception {
    if (discarding) {
      in.skipBytes(in.readableBytes());
    } else if (!isAnswering()) {
      super.decode(context, in, out);
      if (!out.isEmpty() && out.get(out.size() - 1) instanceof LastHttpContent) {
        ended++;
      }
    } else if (in.readableBytes() >= MAX_WAITING_BYTES) {
      context.channel().config().setAutoRead(false);
    }
  }

  private boolean isAnswering() {
    return ended > answered;
  }

  /**
   * Does not call the superclass while a request is in progress: the superclass would read the
   * socket although reading is paused.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    if (isAnswering()) {
      context.fireChannelReadComplete();
    } else {
      super.channelReadComplete(context);
    }
  }

  /** Counts a request as complete when it was rejected before its body, since no body follows. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof HttpExpectationFailedEvent) {
      ended++;
    }
    super.userEventTriggered(context, event);
  }

  /** Called when the socket has taken a whole response, possibly before the end of its request. */
  void onAnswered(@Nullable ChannelHandlerContext context) {
    answered++;
    if (context != null) {
      context.executor().execute(() -> resume(context));
    }
  }

  private void resume(ChannelHandlerContext context) {
    if (context.isRemoved() || isAnswering()) {
      return;
    }
    try {
      context.channel().config().setAutoRead(true); // first, since decoding may turn it off again
      channelRead(context, Unpooled.EMPTY_BUFFER);
    } catch (Exception e) {
      context.fireExceptionCaught(e);
    }
  }

  /** Discards all further bytes; the end of the connection is still detected. */
  void discardRest(Channel channel) {
    discarding = true;
    channel.config().setAutoRead(true);
  }

  /** Thrown when a message has more headers than {@link #MAX_HEADERS}. */
  static final class TooManyHeadersException extends TooLongFrameException {
    private static final long serialVersionUID = 1;
  }

  /** Creates headers that enforce {@link #MAX_HEADERS}. */
  private static final class CountedHeaders implements HttpHeadersFactory {
    @Override
    public HttpHeaders newHeaders() {
      return new DefaultHttpHeaders() {
        private int count;

        @Override
        public HttpHeaders add(CharSequence name, Object value) {
          if (++count > MAX_HEADERS) {
            throw new TooManyHeadersException();
          }
          return super.add(name, value);
        }
      };
    }

    @Override
    public HttpHeaders newEmptyHeaders() {
      return newHeaders();
    }
  }
}
