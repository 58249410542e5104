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
   * To explain a call, predicts the results that {@link #pick} may return, without side effects.
   * Any thread may call this method. By default, the plan contains no results.
   */
  default PickPlan plan(PlannedCall call) {
    return new PickPlan.Shared(List.of());
  }

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
