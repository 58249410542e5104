package io.outrigger.dataplane.forward;

/** Where a {@link ForwardedCall} stands; its javadoc has the table. */
enum CallPhase {
  /** Waits for a first selector, or is being routed. */
  ROUTING,
  /** Has a cluster; is held back by a filter. */
  DELAYED,
  /** Has a cluster; its {@link CallAttempts} go on from there. */
  SENDING,
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
      case ROUTING -> next == DELAYED || next == SENDING || next == DONE;
      case DELAYED -> next == SENDING || next == DONE;
      case SENDING -> next == DONE;
      case DONE -> false;
    };
  }
}
