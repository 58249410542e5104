package io.outrigger.lb.priority;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;

/**
 * Wraps a child's picker and adds the priority to the reason of calls that wait (A121 "priority").
 * This picker is created only when delays are reported, because it adds a step to each pick.
 */
@AnyThread
final class PriorityPicker implements Picker {
  /** A result of the child's picker, and the result of this picker that corresponds to it. */
  private record Answer(PickResult.Queue child, PickResult.Queue here) {}

  private final int priority;
  private final String failover;
  private final Picker child;

  /**
   * The answer that was returned last; a child has only one or two different results with which
   * calls wait.
   */
  private volatile Answer last;

  /**
   * @param failover the reason why no earlier priority is in use; empty for the first priority
   */
  PriorityPicker(int priority, String failover, Picker child) {
    this.priority = priority;
    this.failover = failover;
    this.child = child;
    this.last = answer(new PickResult.Queue("", ""));
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

  @SuppressWarnings("ReferenceEquality") // the child reuses its result objects
  private PickResult here(PickResult.Queue queue) {
    Answer known = last;
    if (known.child != queue) {
      known = answer(queue);
      last = known;
    }
    return known.here;
  }

  private Answer answer(PickResult.Queue queue) {
    String reason = failover.isEmpty() ? queue.reason() : failover + "; " + queue.reason();
    return new Answer(queue, new PickResult.Queue(priority + ":" + queue.delayType(), reason));
  }
}
