package io.outrigger.dataplane.calls;

/** The events and bytes that the proxy counts for each {@code --forward} and {@code --serve}. */
public enum CallCounter {
  /** Requests whose headers arrived. */
  STARTED,
  ENDED,
  CANCELLED,
  /** DATA bytes received from apps. */
  REQUEST_BYTES,
  /** DATA bytes received from backends. */
  RESPONSE_BYTES,
  /** Attempts that were made after a failure because the retry policy allowed a retry. */
  RETRIED,
  /** Requests that were sent to another backend after a refusal (A6 "Transparent Retries"). */
  TRANSPARENT_RETRIES,
  /** Requests that became too large for a retry, although their route has a retry policy. */
  NOT_REPLAYABLE,
  /** Ended calls that an observer lost, for example because the disk of the access log is full. */
  UNOBSERVED,
  /** Connections that were closed immediately because of a limit or a lack of memory. */
  REFUSED_CONNECTIONS
}
