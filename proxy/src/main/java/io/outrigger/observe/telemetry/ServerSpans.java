package io.outrigger.observe.telemetry;

import io.netty.buffer.ByteBuf;
import io.opentelemetry.api.trace.Span;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallSpans;

/**
 * The span of a served call, as A72 describes the server side. The app gets the caller's trace
 * context unchanged, so a span of its own is a sibling of this one.
 */
@LoopConfined
final class ServerSpans implements CallSpans {
  private final MessageSpan call;

  ServerSpans(Span span) {
    call = MessageSpan.of(span);
  }

  @Override
  public void outbound(ByteBuf data) { // to the app, from the caller
    call.onReceived(data);
  }

  @Override
  public void inbound(ByteBuf data) {
    call.onSent(data);
  }

  @Override
  public void ended(RpcStatus status) {
    call.end(status);
  }
}
