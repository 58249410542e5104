package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;

/**
 * Receives the summary of each ended call on the call's event loop. Implementations must not block.
 */
@LoopConfined
@FunctionalInterface
public interface CallObserver {
  /**
   * @return whether the observer accepts the call; false when it drops and counts the call
   */
  boolean onEnded(CallSummary call);

  /**
   * Returns an observer that notifies this observer and then {@code other}. If one of the two drops
   * a call, {@link #onEnded} of the returned observer returns false.
   */
  default CallObserver and(CallObserver other) {
    return call -> {
      boolean taken = onEnded(call);
      return other.onEnded(call) && taken;
    };
  }
}
