package io.outrigger.dataplane.forward;

/** The state of a {@link ForwardedCall}; the javadoc of that class has the table of transitions. */
enum CallPhase {
  /** The call waits for a first selector, or is being routed. */
  ROUTING,
  /** The call has a cluster, and a filter delays the call. */
  DELAYED,
  /** The call has a cluster, and its {@link CallAttempts} do the rest. */
  SENDING,
  /** The call has ended. */
  DONE;

  /** Returns {@code next}; throws when the table does not allow this transition. */
  CallPhase to(CallPhase next) {
    if (!mayBecome(next)) {
      throw new IllegalStateException("a call went from " + this + " to " + next);
    }
    return next;
  }

  private boolean mayBecome(CallPhase next) {
    return switch (this) {
      case ROUTING -> next == DELAYED || next == SENDING || next == DONE;
      case DELAYED -> next == SENDING || next == DONE;
      case SENDING -> next == DONE;
      case DONE -> false;
    };
  }
}
