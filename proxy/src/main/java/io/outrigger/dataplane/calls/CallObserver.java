package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;

/** Receives the summary of each ended call on the call's event loop. Observers must not block. */
@LoopConfined
@FunctionalInterface
public interface CallObserver {
  /**
   * @return whether the observer accepts the call; false when the observer drops the call
   */
  boolean onEnded(CallSummary call);

  /**
   * Returns an observer that notifies this observer first and the given observer second. If either
   * observer drops a call, {@link #onEnded} of the returned observer returns false.
   */
  default CallObserver and(CallObserver other) {
    return call -> {
      boolean taken = onEnded(call);
      return other.onEnded(call) && taken;
    };
  }
}
