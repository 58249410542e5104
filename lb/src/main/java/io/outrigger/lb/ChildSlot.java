package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import org.jspecify.annotations.Nullable;

/**
 * The place of a child policy in its parent: remembers what the child published last, leaves it
 * alone when its configuration did not change, and puts another policy in its place when the
 * configuration asks for one. The new policy publishes before the old one is closed.
 */
@ControlConfined
public final class ChildSlot {
  private final PolicyFactory factory;
  private final LbParent owner;
  private @Nullable LbConfig config;
  private @Nullable Occupant occupant;
  private Connectivity state = Connectivity.CONNECTING;
  private Picker picker = FixedPicker.QUEUE;

  /**
   * An empty place.
   *
   * @param owner hears what the child of the moment says
   */
  public ChildSlot(PolicyFactory factory, LbParent owner) {
    this.factory = factory;
    this.owner = owner;
  }

  /** Gives the child {@code next}; nothing happens when it equals the configuration in force. */
  public void update(LbConfig next) {
    LbConfig before = config;
    if (before != null && next.isSameAs(before)) {
      return;
    }
    config = next;
    Occupant old = occupant;
    if (old != null && before != null && before.identity().equals(next.identity())) {
      old.policy.update(next);
      return;
    }
    occupant = new Occupant(next);
    occupant.policy.update(next);
    if (old != null) {
      old.policy.close();
    }
  }

  /** What the child published last; CONNECTING before that. */
  public Connectivity state() {
    return state;
  }

  public Picker picker() {
    return picker;
  }

  public void close() {
    Occupant last = occupant;
    occupant = null;
    if (last != null) {
      last.policy.close();
    }
  }

  /** The child as a status node. Not before the first update. */
  public LbNode describe(String name) {
    if (occupant == null) {
      throw new IllegalStateException("nothing to describe as " + name);
    }
    return occupant.policy.describe(name);
  }

  /** One child and its way up: cut as soon as another took the place. */
  private final class Occupant implements LbParent {
    private final LbPolicy policy;

    Occupant(LbConfig first) {
      policy = factory.create(first, this);
    }

    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, SubchannelListener listener) {
      return owner.newSubchannel(backend, address, listener);
    }

    @Override
    public void publish(Connectivity newState, Picker newPicker) {
      if (occupant != this) {
        return; // the policy outlived its place
      }
      state = newState;
      picker = newPicker;
      owner.publish(newState, newPicker);
    }

    @Override
    public void requestReresolution() {
      if (occupant == this) {
        owner.requestReresolution();
      }
    }
  }
}
