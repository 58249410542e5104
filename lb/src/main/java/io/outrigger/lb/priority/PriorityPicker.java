package io.outrigger.lb.priority;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;

/**
 * A child's picker, which says of calls that wait in which priority they do (A121 "priority"). Only
 * where somebody asks for it: it stands in the way of each pick.
 */
@AnyThread
final class PriorityPicker implements Picker {
  /** What the child said, and how it is said here. */
  private record Told(PickResult.Queue child, PickResult.Queue here) {}

  private final int priority;
  private final String failover;
  private final Picker child;

  /** The last that was told: a child has one or two answers of the kind. */
  private volatile Told told;

  /**
   * @param failover why no earlier priority is in use; empty for the first
   */
  PriorityPicker(int priority, String failover, Picker child) {
    this.priority = priority;
    this.failover = failover;
    this.child = child;
    this.told = tell(new PickResult.Queue("", ""));
  }

  @Override
  public PickResult pick(PickContext call) {
    PickResult result = child.pick(call);
    return result instanceof PickResult.Queue queue ? here(queue) : result;
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    return child.plan(call);
  }

  @SuppressWarnings("ReferenceEquality") // the same object is the same answer, and that is enough
  private PickResult here(PickResult.Queue queue) {
    Told known = told;
    if (known.child != queue) {
      known = tell(queue);
      told = known;
    }
    return known.here;
  }

  private Told tell(PickResult.Queue queue) {
    String reason = failover.isEmpty() ? queue.reason() : failover + "; " + queue.reason();
    return new Told(queue, new PickResult.Queue(priority + ":" + queue.delayType(), reason));
  }
}
