package io.outrigger.observe.history;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSummary;

/** A call that has ended. */
record EndedCall(
    int loop, String clusterName, EndpointAddress address, long durationNanos, boolean failed)
    implements CallSummary {
  @Override
  public RpcStatus.Code code() {
    return failed ? RpcStatus.Code.INTERNAL : RpcStatus.Code.OK;
  }

  @Override
  public CallRecord record(String forward, long endMillis) {
    throw new AssertionError("the history keeps no records");
  }

  @Override
  public Runnable onLost() {
    throw new AssertionError("the history loses no calls");
  }
}
