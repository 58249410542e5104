package io.outrigger.observe.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.outrigger.base.LoopConfined;

/** Aggregates requests with their bodies. When a body is too large, the reply names the limit. */
@LoopConfined
final class RequestBodies extends HttpObjectAggregator {
  private final int maxBytes;

  RequestBodies(int maxBytes) {
    super(maxBytes);
    this.maxBytes = maxBytes;
  }

  private AdminReply tooLong() {
    return AdminReply.text(413, "the body is longer than " + maxBytes + " bytes");
  }

  @Override
  protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
    // the body has chunks, and its total length is unknown
    boolean begun = oversized instanceof FullHttpMessage;
    if (begun || !HttpUtil.isKeepAlive(oversized)) {
      AdminResponse.refuse(context, tooLong());
    } else {
      context.writeAndFlush(AdminResponse.of(tooLong(), false, false));
    }
  }

  /**
   * Sends the reply with the limit also to a client that waits for permission to send the body
   * ({@code Expect: 100-continue}).
   */
  @Override
  protected Object newContinueResponse(HttpMessage start, int limit, ChannelPipeline pipeline) {
    Object response = super.newContinueResponse(start, limit, pipeline);
    if (response instanceof FullHttpResponse refusal
        && refusal.status().equals(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE)) {
      refusal.release();
      return AdminResponse.of(tooLong(), false, false);
    }
    return response;
  }
}
