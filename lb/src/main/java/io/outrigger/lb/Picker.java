package io.outrigger.lb;

import io.outrigger.base.AnyThread;

/**
 * Chooses a subchannel for a call. Immutable; called on any event loop, also after it was replaced;
 * never blocks, never allocates on the common path.
 */
@AnyThread
public interface Picker {
  PickResult pick(PickContext call);

  /**
   * The answer that {@link #pick} would give, without its effects, for explanations. Any thread.
   */
  default PickPlan plan(PlannedCall call) {
    return new PickPlan.Unknown();
  }
}
