package io.outrigger.dataplane.forward;

/** Where the {@link CallAttempts} of a call stand; their javadoc has the table. */
enum AttemptPhase {
  /** The call has no cluster yet, or is held back by a filter. */
  IDLE,
  /** Waits for a pick. */
  PICKING,
  /** Has a subchannel; waits for a stream on its connection. */
  OPENING,
  /** Has a stream to the backend. */
  STREAMING,
  /** Waits for the time of another attempt (A6). */
  BACKING_OFF,
  /** The call has ended. */
  OVER;

  /** {@code next}, which the table must name as a step from here. */
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
