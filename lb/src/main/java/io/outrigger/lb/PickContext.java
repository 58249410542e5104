package io.outrigger.lb;

import io.outrigger.base.LoopConfined;

/**
 * The call that a pick is for, as far as policies may see it. It is the call itself, not a copy.
 */
@LoopConfined
public interface PickContext {
  /** The number of the event loop that owns the call, from 0; for per-loop counters. */
  int loop();
}
