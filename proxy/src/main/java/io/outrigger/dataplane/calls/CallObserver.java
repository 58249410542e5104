package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;

/** Hears of each call's end, on the call's event loop; does not block. */
@LoopConfined
@FunctionalInterface
public interface CallObserver {
  /** Nobody listens. A method, not a constant: see {@link io.outrigger.lb.view.LbObserver#none}. */
  static CallObserver none() {
    return call -> true;
  }

  /**
   * @return false when it cannot take one more now: counted, and otherwise without consequence
   */
  boolean onEnded(CallSummary call);

  /** One observer that tells this one, then {@code other}; the answer is that of both. */
  default CallObserver and(CallObserver other) {
    return call -> {
      boolean taken = onEnded(call);
      return other.onEnded(call) && taken;
    };
  }
}
