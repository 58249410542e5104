package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.NodeVisitor;
import org.jspecify.annotations.Nullable;

/**
 * The place of a child policy in its parent: remembers the state and the picker that the child
 * published last, leaves the child alone when its configuration did not change, and switches to
 * another policy when the configuration is of another kind.
 *
 * <p>A policy in READY goes on serving while its successor connects (A52-05, decision lb-0007). Any
 * other change of the configuration reaches the policy in force at once (decision lb-0030):
 *
 * <pre>
 * in force            -> in force, and one to come  on a configuration of another kind
 * one to come         -> in force                   on its leaving CONNECTING, or on the one in
 *                                                   force not being READY
 * one to come         -> gone                       on a configuration of yet another kind, or
 *                                                   of that in force
 * </pre>
 */
@ControlConfined
public final class ChildSlot {
  private static final FixedPicker WAITS =
      new FixedPicker(PickResult.Queue.connecting("waiting for the policy's first state"));

  private final PolicyFactory factory;
  private final LbParent owner;
  private @Nullable LbConfig config;
  private @Nullable Child current;
  private @Nullable Child pending;

  /**
   * Creates a slot without a child.
   *
   * @param owner receives the states and pickers of the child in force
   */
  public ChildSlot(PolicyFactory factory, LbParent owner) {
    this.factory = factory;
    this.owner = owner;
  }

  /**
   * Applies the configuration {@code next} to the child; does nothing when {@code next} equals the
   * last configuration.
   */
  public void update(LbConfig next) {
    LbConfig before = config;
    if (before != null && next.isSameAs(before)) {
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
      drop(successor);
      active.policy.update(next);
    } else if (successor != null && successor.kind.equals(next.kind())) {
      successor.policy.update(next);
    } else {
      drop(successor);
      successor = new Child(next);
      pending = successor;
      successor.policy.update(next);
    }
  }

  private void drop(@Nullable Child successor) {
    pending = null;
    if (successor != null) {
      successor.policy.close();
    }
  }

  /** The state that the child published last, or CONNECTING before the child has published. */
  public Connectivity state() {
    return current == null ? Connectivity.CONNECTING : current.state;
  }

  public Picker picker() {
    return current == null ? WAITS : current.picker;
  }

  public void close() {
    Child last = current;
    current = null;
    drop(pending);
    if (last != null) {
      last.policy.close();
    }
  }

  /**
   * Shows the child; see {@link LbPolicy#accept}. The slot must have been updated at least once.
   */
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    if (current == null) {
      throw new IllegalStateException("nothing to describe as " + name);
    }
    current.policy.accept(visitor, name, isUsed);
  }

  /** Counts the child's endpoints; see {@link LbPolicy#count}. */
  public void count(EndpointTally tally) {
    if (current != null) {
      current.policy.count(tally);
    }
  }

  /** A child policy and the parent through which it publishes. */
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
        Backend backend, EndpointAddress address, SubchannelListener listener) {
      return owner.newSubchannel(backend, address, listener);
    }

    @Override
    public void publish(Connectivity newState, Picker newPicker) {
      Child active = current;
      if (active == null || (this != active && this != pending)) {
        return; // the policy outlived its place
      }
      state = newState;
      picker = newPicker;
      Child successor = pending;
      if (successor != null
          && (active.state != Connectivity.READY || successor.state != Connectivity.CONNECTING)) {
        current = successor;
        pending = null;
        owner.publish(successor.state, successor.picker);
        active.policy.close(); // after its successor has its connections: what both use stays
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
