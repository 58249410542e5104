package io.outrigger.proxy.forward;

import io.outrigger.base.LoopConfined;

/** Hears of each call's end, on the call's event loop; does not block. */
@LoopConfined
@FunctionalInterface
public interface CallObserver {
  /** Nobody listens. */
  CallObserver NONE = call -> {};

  void onEnded(FinishedCall call);
}
