package io.outrigger.lb;

import io.outrigger.base.AnyThread;

/** A picker that gives every call the same result. */
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
