package io.outrigger.proxy.filter;

import io.outrigger.base.RpcStatus;

/** What the filters want done with a request next. */
public sealed interface FilterStep {
  /** The last filter was passed: the request may be sent. */
  FilterStep PROCEED = new Proceed();

  /** See {@link #PROCEED}. */
  record Proceed() implements FilterStep {}

  /** Hold the request back for {@code nanos}, then ask for the next step. */
  record Pause(long nanos) implements FilterStep {}

  /**
   * Answer the request here.
   *
   * @param status for gRPC, with any code, {@code OK} too (A33 "200/OK Error Injection")
   * @param httpStatus for other requests; 0 when only a gRPC status was configured
   */
  record Answer(RpcStatus status, int httpStatus) implements FilterStep {}
}
