package io.outrigger.lb;

import io.outrigger.base.AnyThread;
import java.util.List;

/**
 * Chooses a subchannel for a call. Pickers are immutable. Any event loop may call a picker, even
 * after the picker was replaced. A pick never blocks, and allocates nothing on the common path.
 */
@AnyThread
public interface Picker {
  PickResult pick(PickContext call);

  /**
   * Predicts the result of {@link #pick} for explanations, without the side effects of a pick. Any
   * thread may call this method. A picker without a prediction returns a plan without results.
   */
  default PickPlan plan(PlannedCall call) {
    return new PickPlan.Shared(List.of());
  }

  @AnyThread
  record Fixed(PickResult result) implements Picker {
    @Override
    public PickResult pick(PickContext call) {
      return result;
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      return new PickPlan.Certain(result);
    }
  }
}
