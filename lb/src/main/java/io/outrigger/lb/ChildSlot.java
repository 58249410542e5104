package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import org.jspecify.annotations.Nullable;

/**
 * The place of a child policy in its parent: remembers what the child published last, leaves it
 * alone when its configuration did not change, and switches to another policy when the
 * configuration asks for one.
 *
 * <p>A policy in READY goes on serving while its successor connects (A52-05, decision lb-0007):
 *
 * <pre>
 * in force            -> in force, and one to come  on a configuration of another identity
 * one to come         -> in force                   on its leaving CONNECTING, or on the one in
 *                                                   force not being READY
 * one to come         -> gone                       on a configuration of yet another identity, or
 *                                                   of that in force
 * </pre>
 */
@ControlConfined
public final class ChildSlot {
  private final PolicyFactory factory;
  private final LbParent owner;
  private @Nullable LbConfig config;
  private @Nullable Child inForce;
  private @Nullable Child toCome;

  /**
   * An empty place.
   *
   * @param owner hears what the child of the moment says
   */
  public ChildSlot(PolicyFactory factory, LbParent owner) {
    this.factory = factory;
    this.owner = owner;
  }

  /** Gives the child {@code next}; nothing happens when it equals the last configuration. */
  public void update(LbConfig next) {
    LbConfig before = config;
    if (before != null && next.isSameAs(before)) {
      return;
    }
    config = next;
    Child current = inForce;
    Child coming = toCome;
    if (current == null) {
      current = new Child(next);
      inForce = current;
      current.policy.update(next);
    } else if (current.identity.equals(next.identity())) {
      drop(coming);
      current.policy.update(next);
    } else if (coming != null && coming.identity.equals(next.identity())) {
      coming.policy.update(next);
    } else {
      drop(coming);
      coming = new Child(next);
      toCome = coming;
      coming.policy.update(next);
    }
  }

  private void drop(@Nullable Child coming) {
    toCome = null;
    if (coming != null) {
      coming.policy.close();
    }
  }

  /** What the child published last; CONNECTING before that. */
  public Connectivity state() {
    return inForce == null ? Connectivity.CONNECTING : inForce.state;
  }

  public Picker picker() {
    return inForce == null ? FixedPicker.QUEUE : inForce.picker;
  }

  public void close() {
    Child last = inForce;
    inForce = null;
    drop(toCome);
    if (last != null) {
      last.policy.close();
    }
  }

  /** Shows the child; see {@link LbPolicy#accept}. Not before the first update. */
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    if (inForce == null) {
      throw new IllegalStateException("nothing to describe as " + name);
    }
    inForce.policy.accept(visitor, name, isUsed);
  }

  /** Counts the child's endpoints; see {@link LbPolicy#count}. */
  public void count(EndpointTally tally) {
    if (inForce != null) {
      inForce.policy.count(tally);
    }
  }

  /** One child and its way up. */
  private final class Child implements LbParent {
    private final Object identity;
    private final LbPolicy policy;
    private Connectivity state = Connectivity.CONNECTING;
    private Picker picker = FixedPicker.QUEUE;

    Child(LbConfig first) {
      identity = first.identity();
      policy = factory.create(first, this);
    }

    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, SubchannelListener listener) {
      return owner.newSubchannel(backend, address, listener);
    }

    @Override
    public void publish(Connectivity newState, Picker newPicker) {
      Child current = inForce;
      if (current == null || (this != current && this != toCome)) {
        return; // the policy outlived its place
      }
      state = newState;
      picker = newPicker;
      Child coming = toCome;
      if (coming != null
          && (current.state != Connectivity.READY || coming.state != Connectivity.CONNECTING)) {
        inForce = coming;
        toCome = null;
        owner.publish(coming.state, coming.picker);
        current.policy.close(); // after its successor has its connections: what both use stays
      } else if (this == current) {
        owner.publish(newState, newPicker);
      }
    }

    @Override
    public void requestReresolution() {
      if (this == inForce || this == toCome) {
        owner.requestReresolution();
      }
    }
  }
}
