package io.outrigger.dataplane.filter;

import io.outrigger.base.RpcStatus;

/** What a filter wants done with a request next. */
public sealed interface FilterStep {
  /** Nothing: the next filter is asked; behind the last one the request may be sent. */
  FilterStep PROCEED = new Proceed();

  /** See {@link #PROCEED}. */
  record Proceed() implements FilterStep {}

  /**
   * Hold the request back for {@code nanos}.
   *
   * @param next what to do then: proceed or answer
   * @param onEnd runs once when the time is over or the call is, whichever comes first
   */
  record Pause(long nanos, FilterStep next, Runnable onEnd) implements FilterStep {}

  /**
   * Answer the request here.
   *
   * @param status for gRPC, with any code, {@code OK} too (A33 "200/OK Error Injection")
   * @param httpStatus for other requests; 0 when only a gRPC status was configured
   */
  record Answer(RpcStatus status, int httpStatus) implements FilterStep {}
}
