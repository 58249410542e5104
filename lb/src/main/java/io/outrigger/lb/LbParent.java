package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;

/** The services that a parent provides to its child policy. */
@ControlConfined
public interface LbParent {
  /**
   * Creates a subchannel to one address of a backend. The subchannel starts IDLE and connects when
   * {@link Subchannel#requestConnection} is called. The caller owns the subchannel and closes it.
   *
   * @param listener called for each change of state, on the control loop, never before this method
   *     returns
   */
  Subchannel newSubchannel(Backend backend, EndpointAddress address, Subchannel.Listener listener);

  /**
   * Replaces the child's state and picker. A child must call this method before its first update
   * ends, and again after each change.
   */
  void publish(Connectivity state, Picker picker);

  /** Requests a new resolution of the addresses; only DNS clusters react (A37-05). */
  void requestReresolution();
}
