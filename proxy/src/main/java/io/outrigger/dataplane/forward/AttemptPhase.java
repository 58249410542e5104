package io.outrigger.dataplane.forward;

/**
 * The state of a call's {@link CallAttempts}; the javadoc of that class has the table of
 * transitions.
 */
enum AttemptPhase {
  /** The call has no cluster yet, or a filter delays the call. */
  IDLE,
  /** The call waits for a pick. */
  PICKING,
  /** The call has a subchannel and waits for a stream on its connection. */
  OPENING,
  /** The call has a stream to the backend. */
  STREAMING,
  /** The call waits for the back-off before the next attempt to end (A6). */
  BACKING_OFF,
  /** The call has ended. */
  OVER;

  /** Returns {@code next}; throws when the table does not allow this transition. */
  AttemptPhase to(AttemptPhase next) {
    if (!mayBecome(next)) {
      throw new IllegalStateException("the attempts of a call went from " + this + " to " + next);
    }
    return next;
  }

  private boolean mayBecome(AttemptPhase next) {
    return switch (this) {
      case IDLE -> next == PICKING || next == OVER;
      case PICKING -> next == OPENING || next == BACKING_OFF || next == OVER;
      case OPENING -> next == PICKING || next == STREAMING || next == OVER;
      case STREAMING -> next == PICKING || next == BACKING_OFF || next == OVER;
      case BACKING_OFF -> next == PICKING || next == OVER;
      case OVER -> false;
    };
  }
}
