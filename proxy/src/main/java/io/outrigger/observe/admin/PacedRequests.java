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
 * Reads requests one at a time: those that come with or behind another one stay undecoded until the
 * peer has taken the answer to that. Beyond {@link #MAX_WAITING_BYTES} of them the socket is not
 * read; up to there it is, since that is how the end of a connection shows.
 */
@LoopConfined
final class PacedRequests extends HttpRequestDecoder {
  static final int MAX_LINE_BYTES = 64 * 1024; // an explained request is in it, with its cookies
  static final int MAX_HEADER_BYTES = 64 * 1024; // browsers send the cookies of all ports
  static final int MAX_HEADERS = 100; // each costs the heap far more than its bytes
  static final int MAX_WAITING_BYTES = 8 * 1024;
  private static final int MAX_CHUNK_BYTES = 8 * 1024;

  /** Requests of which nothing more will come, and answers that the socket has taken. */
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
   * The superclass reads on when nothing was decoded, even from a socket that is not to be read.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    if (isAnswering()) {
      context.fireChannelReadComplete();
    } else {
      super.channelReadComplete(context);
    }
  }

  /** A request that was refused before its body will not have one. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof HttpExpectationFailedEvent) {
      ended++;
    }
    super.userEventTriggered(context, event);
  }

  /** The socket has taken the whole of an answer, which may have come before its request's end. */
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
      context.channel().config().setAutoRead(true); // first: decoding may turn it off again
      channelRead(context, Unpooled.EMPTY_BUFFER);
    } catch (Exception e) {
      context.fireExceptionCaught(e);
    }
  }

  /** Whatever comes is passed over from now on; the end of the connection still shows. */
  void discardRest(Channel channel) {
    discarding = true;
    channel.config().setAutoRead(true);
  }

  /** That there are more headers than {@link #MAX_HEADERS}. */
  static final class TooManyHeadersException extends TooLongFrameException {
    private static final long serialVersionUID = 1;
  }

  /** Gives each message headers that count themselves. */
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
