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
   * What {@link #pick} would answer, without doing it: made of the same parts, and any thread may
   * ask. For explanations.
   */
  default PickPlan plan(PlannedCall call) {
    return new PickPlan.Unknown();
  }
}
