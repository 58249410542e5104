package io.outrigger.dataplane.calls;

/** Events and bytes that are counted for all calls of a forward. */
public enum CallCounter {
  /** Requests whose headers arrived. */
  STARTED,
  ENDED,
  CANCELLED,
  /** DATA bytes received from apps. */
  REQUEST_BYTES,
  /** DATA bytes received from backends. */
  RESPONSE_BYTES,
  /** Attempts that a retry policy made after a failure. */
  RETRIED,
  /** Requests that were sent to another backend after a refusal (A6 "Transparent Retries"). */
  TRANSPARENT_RETRIES,
  /** Requests with a retry policy that became too large to be retried. */
  NOT_REPLAYABLE,
  /**
   * Ended calls that the access log or another observer dropped, for example because its queue was
   * full.
   */
  UNOBSERVED
}
