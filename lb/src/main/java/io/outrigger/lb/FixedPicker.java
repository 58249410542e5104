package io.outrigger.lb;

import io.outrigger.base.AnyThread;

/** Gives every call the same answer. */
@AnyThread
public record FixedPicker(PickResult result) implements Picker {
  @Override
  public PickResult pick(PickContext call) {
    return result;
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    return new PickPlan.Certain(result);
  }
}
