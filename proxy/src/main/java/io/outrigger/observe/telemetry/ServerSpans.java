package io.outrigger.observe.telemetry;

import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallSpans;

/**
 * The span of a served call, as A72 describes the server side. The app gets the caller's trace
 * context unchanged, so a span of its own is a sibling of this one.
 */
@LoopConfined
record ServerSpans(MessageSpan call) implements CallSpans {
  @Override
  public void message(boolean isRequest, long sequence, long bytes, boolean isCompressed) {
    call.message(!isRequest, sequence, bytes, isCompressed); // a server receives requests
  }

  @Override
  public void ended(RpcStatus status) {
    call.end(status);
  }
}
