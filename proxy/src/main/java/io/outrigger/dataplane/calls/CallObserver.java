package io.outrigger.dataplane.calls;

import io.outrigger.base.LoopConfined;

/** Receives the summary of each ended call on the call's event loop. Observers must not block. */
@LoopConfined
@FunctionalInterface
public interface CallObserver {
  void onEnded(CallSummary call);

  /** Returns an observer that notifies this observer first and the given observer second. */
  default CallObserver and(CallObserver other) {
    return call -> {
      onEnded(call);
      other.onEnded(call);
    };
  }
}
