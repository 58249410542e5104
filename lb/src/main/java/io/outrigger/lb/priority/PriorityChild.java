package io.outrigger.lb.priority;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.OneTimer;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.NodeVisitor;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A child of the priority policy with its two timers (A56).
 *
 * <pre>
 * failover timer: starts on creation, and on CONNECTING if READY or IDLE was reported
 *                   since the last TRANSIENT_FAILURE
 *                 stops on READY, IDLE, TRANSIENT_FAILURE
 *                 when elapsed, the policy chooses again
 * retirement:     starts on deactivate, stops on reactivate; when elapsed, the child is destroyed
 * </pre>
 */
@ControlConfined
final class PriorityChild {
  static final Duration FAILOVER =
      Duration.ofSeconds(10); // A56 "Child Connectivity State Tracking"
  static final Duration RETIREMENT = Duration.ofMinutes(15); // A56 "Child Lifetime Management"

  private final LbParent parent;
  private final Runnable onChange;
  private final Consumer<PriorityChild> onRetired;
  private final ChildSlot slot;
  private final OneTimer failover;
  private final OneTimer retirement;

  private boolean reresolves;
  private boolean workedSinceFailure;
  private Connectivity state = Connectivity.CONNECTING;

  /**
   * Creates a child in state CONNECTING; the first update creates its policy.
   *
   * @param onChange runs when the state, the picker or the failover timer has changed; the priority
   *     policy then chooses a child
   * @param onRetired receives this child when the retirement timer has elapsed; the priority policy
   *     then removes the child
   */
  PriorityChild(
      ControlLoop control,
      PolicyFactory factory,
      LbParent parent,
      Runnable onChange,
      Consumer<PriorityChild> onRetired) {
    this.parent = parent;
    this.onChange = onChange;
    this.onRetired = onRetired;
    this.slot =
        new ChildSlot(
            factory,
            new ComposedParent(
                parent::newSubchannel,
                (next, picker) -> onPublished(next),
                this::requestReresolution));
    this.failover = new OneTimer(control);
    this.retirement = new OneTimer(control);
    failover.start(FAILOVER, onChange);
  }

  void update(LbConfig.Child config) {
    reresolves = config.reresolves();
    slot.update(config.config());
  }

  Connectivity state() {
    return state;
  }

  Picker picker() {
    return slot.picker();
  }

  /** Whether the failover timer runs, so that calls wait for this child. */
  boolean isFailoverPending() {
    return failover.isRunning();
  }

  void deactivate() {
    if (!retirement.isRunning()) {
      retirement.start(RETIREMENT, () -> onRetired.accept(this));
    }
  }

  void reactivate() {
    retirement.stop();
  }

  void close() {
    failover.stop();
    retirement.stop();
    slot.close();
  }

  void accept(NodeVisitor visitor, String name, boolean isUsed) {
    slot.accept(visitor, name, isUsed);
  }

  private void onPublished(Connectivity next) {
    Connectivity before = state;
    state = next;
    switch (next) {
      case READY, IDLE -> {
        workedSinceFailure = true;
        failover.stop();
      }
      case TRANSIENT_FAILURE -> {
        workedSinceFailure = false;
        failover.stop();
      }
      case CONNECTING -> {
        if (before != Connectivity.CONNECTING && workedSinceFailure) {
          failover.start(FAILOVER, onChange);
        }
      }
    }
    onChange.run();
  }

  private void requestReresolution() {
    if (reresolves) { // A37 "Priority Policy Reresolution Handling"
      parent.requestReresolution();
    }
  }
}
