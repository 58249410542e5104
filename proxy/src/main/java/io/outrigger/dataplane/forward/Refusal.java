package io.outrigger.dataplane.forward;

/** Whether a backend has guaranteed that it did not process a request, and why (SC-34). */
enum Refusal {
  /** The backend has given no guarantee. */
  NONE,
  /** The backend refused this request; the request is sent again once. */
  OF_CALL,
  /**
   * The connection was closed gracefully before the request was processed; the request may be sent
   * again several times.
   */
  OF_CONNECTION
}
