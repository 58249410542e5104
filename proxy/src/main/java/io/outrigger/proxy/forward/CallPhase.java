package io.outrigger.proxy.forward;

/** Where a {@link ForwardedCall} stands; its javadoc has the table. */
enum CallPhase {
  /** Waits for a first selector, or is being routed. */
  ROUTING,
  /** Has a cluster; waits for a pick. */
  PICKING,
  /** Has a subchannel; waits for a stream on its connection. */
  OPENING,
  /** Has a stream to the backend. */
  STREAMING,
  /** Has ended, in the one place where calls end. */
  DONE;

  /** {@code next}, which the table must name as a step from here. */
  CallPhase to(CallPhase next) {
    if (!mayBecome(next)) {
      throw new IllegalStateException("a call went from " + this + " to " + next);
    }
    return next;
  }

  private boolean mayBecome(CallPhase next) {
    return switch (this) {
      case ROUTING -> next == PICKING || next == DONE;
      case PICKING -> next == OPENING || next == DONE;
      case OPENING -> next == PICKING || next == STREAMING || next == DONE;
      case STREAMING -> next == PICKING || next == DONE;
      case DONE -> false;
    };
  }
}
