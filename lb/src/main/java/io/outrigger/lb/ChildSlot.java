package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.NodeVisitor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds one child policy for a parent policy. The slot remembers the last state and the last picker
 * of the child. An update with an unchanged configuration is skipped. A configuration for another
 * kind of policy replaces the child.
 *
 * <p>During a switch to a new policy, an old policy in state READY continues to serve calls while
 * its successor connects (A52-05, decision lb-0007). A new configuration of the active policy's
 * kind goes to the active policy immediately (decision lb-0030):
 *
 * <pre>
 * active    -> active, with a pending successor  on a configuration of another kind
 * pending   -> active                            when the pending policy leaves CONNECTING, or the
 *                                                active policy is not READY
 * pending   -> closed                            on a configuration of a third kind, or of the
 *                                                active policy's kind
 * </pre>
 */
@ControlConfined
public final class ChildSlot {
  private static final Picker.Fixed WAITS =
      new Picker.Fixed(PickResult.Queue.connecting("waiting for the policy's first state"));

  private final PolicyFactory factory;
  private final LbParent owner;
  private @Nullable LbConfig config;
  private @Nullable Child current;
  private @Nullable Child pending;

  /**
   * @param owner receives the states and pickers of the active policy
   */
  public ChildSlot(PolicyFactory factory, LbParent owner) {
    this.factory = factory;
    this.owner = owner;
  }

  public void update(LbConfig next) {
    if (Objects.equals(config, next)) { // the first call of a record's equals delays the start
      return;
    }
    config = next;
    Child active = current;
    Child successor = pending;
    if (active == null) {
      active = new Child(next);
      current = active;
      active.policy.update(next);
    } else if (active.kind.equals(next.kind())) {
      dropPending(successor);
      active.policy.update(next);
    } else if (successor != null && successor.kind.equals(next.kind())) {
      successor.policy.update(next);
    } else {
      dropPending(successor);
      successor = new Child(next);
      pending = successor;
      successor.policy.update(next);
    }
  }

  private void dropPending(@Nullable Child successor) {
    pending = null;
    if (successor != null) {
      successor.policy.close();
    }
  }

  /** The state that the child published last, at first CONNECTING. */
  public Connectivity state() {
    return current == null ? Connectivity.CONNECTING : current.state;
  }

  public Picker picker() {
    return current == null ? WAITS : current.picker;
  }

  public void close() {
    Child last = current;
    current = null;
    dropPending(pending);
    if (last != null) {
      last.policy.close();
    }
  }

  /** Shows the child to a visitor; must not be called before the first update. */
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    if (current == null) {
      throw new IllegalStateException("nothing to describe as " + name);
    }
    current.policy.accept(visitor, name, isUsed);
  }

  private final class Child implements LbParent {
    private final Class<?> kind;
    private final LbPolicy policy;
    private Connectivity state = Connectivity.CONNECTING;
    private Picker picker = WAITS;

    Child(LbConfig first) {
      kind = first.kind();
      policy = factory.create(first, this);
    }

    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, Subchannel.Listener listener) {
      return owner.newSubchannel(backend, address, listener);
    }

    @Override
    public void publish(Connectivity newState, Picker newPicker) {
      Child active = current;
      if (active == null || (this != active && this != pending)) {
        return; // this policy was replaced, or the slot was closed
      }
      state = newState;
      picker = newPicker;
      Child successor = pending;
      if (successor != null
          && (active.state != Connectivity.READY || successor.state != Connectivity.CONNECTING)) {
        current = successor;
        pending = null;
        owner.publish(successor.state, successor.picker);
        active.policy.close(); // last, so that a shared connection stays open
      } else if (this == active) {
        owner.publish(newState, newPicker);
      }
    }

    @Override
    public void requestReresolution() {
      if (this == current || this == pending) {
        owner.requestReresolution();
      }
    }
  }
}
