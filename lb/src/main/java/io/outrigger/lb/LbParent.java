package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;

/** The services of the node above a policy. */
@ControlConfined
public interface LbParent {
  /**
   * A subchannel to one address of {@code backend}. Starts IDLE; it connects when asked. The caller
   * owns it and closes it.
   *
   * @param listener called for each change of state, on the control loop, never before this returns
   */
  Subchannel newSubchannel(Backend backend, EndpointAddress address, SubchannelListener listener);

  /** Replaces the child's state and picker: by the end of the first update, then on each change. */
  void publish(Connectivity state, Picker picker);

  /** Asks for fresh addresses; DNS clusters listen, others do not (A37-05). */
  void requestReresolution();
}
