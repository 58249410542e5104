package io.outrigger.dataplane.filter;

import io.outrigger.base.RpcStatus;

/** The decision of a filter about the next step of a request. */
public sealed interface FilterStep {
  /** The request continues with the next filter or, after the last filter, is sent. */
  FilterStep PROCEED = new Proceed();

  record Proceed() implements FilterStep {}

  /**
   * Delays the request for a number of nanoseconds.
   *
   * @param next the step after the delay: {@link #PROCEED} or an {@link Answer}
   * @param onEnd a task that runs once, when the delay or the call ends
   */
  record Pause(long nanos, FilterStep next, Runnable onEnd) implements FilterStep {}

  /**
   * Answers the request without forwarding it.
   *
   * @param status the status for a gRPC request; any code is allowed, even {@code OK} (A33 "200/OK
   *     Error Injection")
   * @param httpStatus the {@code :status} for a request that is not gRPC
   */
  record Answer(RpcStatus status, LocalReason reason, int httpStatus) implements FilterStep {
    public Answer(RpcStatus status, LocalReason reason) {
      this(status, reason, reason.httpStatus(status));
    }
  }
}
