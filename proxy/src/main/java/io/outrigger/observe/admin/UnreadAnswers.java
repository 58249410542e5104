package io.outrigger.observe.admin;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/** Counts the bytes that are written to a connection until its socket has taken them. */
@LoopConfined
final class UnreadAnswers extends ChannelOutboundHandlerAdapter {
  /** The approximate size of the headers and of the objects around one part. */
  private static final long OVERHEAD_BYTES = 512;

  private final AdminBudget budget;
  private final PacedRequests requests;
  private AdminBudget.@Nullable Reader reader;

  UnreadAnswers(AdminBudget budget, PacedRequests requests) {
    this.budget = budget;
    this.requests = requests;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    AdminBudget.Reader counted = reader(context);
    long bytes =
        OVERHEAD_BYTES + (message instanceof HttpContent part ? part.content().readableBytes() : 0);
    boolean isAnswerEnd =
        message instanceof LastHttpContent
            && !(message instanceof HttpResponse response
                && response.status().codeClass() == HttpStatusClass.INFORMATIONAL);
    counted.add(bytes);
    context
        .write(message, promise.unvoid())
        .addListener(
            written -> {
              counted.release(bytes);
              if (isAnswerEnd && written.isSuccess()) {
                requests.onAnswered(context.pipeline().context(requests));
              }
            });
  }

  private AdminBudget.Reader reader(ChannelHandlerContext context) {
    AdminBudget.Reader known = reader;
    if (known == null) {
      known = budget.reader(context.channel()::close);
      reader = known;
    }
    return known;
  }
}
