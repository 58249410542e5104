package io.outrigger.observe.history;

import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.calls.CallRecord;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.route.EffectiveTimeout;
import java.util.Optional;
import java.util.OptionalInt;

/** A call that has ended. */
record EndedCall(
    int loop,
    String path,
    String clusterName,
    EndpointAddress address,
    long durationNanos,
    boolean failed,
    long endedNanos)
    implements CallSummary {
  @Override
  public RpcStatus.Code code() {
    return failed ? RpcStatus.Code.INTERNAL : RpcStatus.Code.OK;
  }

  @Override
  public CallRecord record(String forward, long endMillis) {
    return new CallRecord(
        forward,
        endMillis,
        durationNanos,
        "POST",
        path,
        "orders",
        "xds:///orders",
        0,
        Optional.empty(),
        Optional.ofNullable(clusterName),
        Optional.ofNullable(address),
        Optional.empty(),
        OptionalInt.empty(),
        1,
        true,
        code(),
        200,
        Optional.empty(),
        0,
        0,
        1_000_000_000,
        Optional.of(EffectiveTimeout.Source.TIMEOUT),
        "",
        null,
        null);
  }
}
