package io.outrigger.dataplane.forward;

/**
 * Whether a backend has promised that it did nothing with a request, and why it did not (SC-34).
 */
enum Refusal {
  /** It has not promised anything. */
  NONE,
  /** The request was refused: it is sent again once. */
  OF_CALL,
  /** Its connection ended in order with other requests: it may be sent again and again. */
  OF_CONNECTION
}
