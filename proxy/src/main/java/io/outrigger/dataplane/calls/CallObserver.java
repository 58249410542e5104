package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;

/**
 * Receives the summary of each ended call on the call's event loop. Implementations must not block.
 */
@LoopConfined
@FunctionalInterface
public interface CallObserver {
  /**
   * Returns an observer that ignores all calls. For why this is a method and not a constant, see
   * {@link io.outrigger.lb.view.LbObserver#none}.
   */
  static CallObserver none() {
    return call -> true;
  }

  /**
   * @return false when the observer had to drop {@code call}; the caller only counts this
   */
  boolean onEnded(CallSummary call);

  /**
   * Returns an observer that notifies this observer and then {@code other}. Its {@link #onEnded}
   * returns true only if both returned true.
   */
  default CallObserver and(CallObserver other) {
    return call -> {
      boolean taken = onEnded(call);
      return other.onEnded(call) && taken;
    };
  }
}
