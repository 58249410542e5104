package io.outrigger.lb.override;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The picker of a cluster that has not seen a session. The first call of a session waits one turn
 * of the control loop, in which the address map is made; all other calls go straight to the
 * balancer.
 */
@AnyThread
final class FirstSessionPicker implements Picker {
  private final Runnable prepare;
  private final Picker child;
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * @param prepare soon publishes a picker that has an address map; called on any event loop
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

  /** The first call of a session waits until hosts are looked up; a plan does not begin that. */
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
