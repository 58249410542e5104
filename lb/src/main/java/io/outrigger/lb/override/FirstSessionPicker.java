package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The picker of a cluster in which no session has been seen. The first call of a session waits one
 * turn of the control loop, in which the address map is built; all other calls are picked by the
 * child policy.
 */
@AnyThread
final class FirstSessionPicker implements Picker {
  private final Runnable prepare;
  private final Picker child;
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * @param prepare publishes a picker with an address map soon; called on any event loop
   */
  FirstSessionPicker(Runnable prepare, Picker child) {
    this.prepare = prepare;
    this.child = child;
  }

  @Override
  public PickResult pick(PickContext call) {
    if (call.session() == null) {
      return child.pick(call);
    }
    if (!asked.get() && asked.compareAndSet(false, true)) {
      prepare.run();
    }
    return OverrideHostPicker.WAITS;
  }

  /**
   * Predicts that the first call of a session waits for the address map; the plan does not cause
   * the map to be built.
   */
  @Override
  public PickPlan plan(PlannedCall call) {
    return call.session()
        .<PickPlan>map(
            preferred ->
                new PickPlan.Preferring(
                    preferred.stream()
                        .map(
                            each ->
                                new PickPlan.OverrideCandidate(
                                    each, "not looked up before a first session"))
                        .toList(),
                    PickPlan.OverrideOutcome.NOT_LOOKED_UP,
                    preferred.isEmpty()
                        ? child.plan(call)
                        : new PickPlan.Certain(OverrideHostPicker.WAITS)))
        .orElseGet(() -> child.plan(call));
  }
}
