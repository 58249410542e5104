package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;

/** What a policy may ask of the node above it. */
@ControlConfined
public interface LbParent {
  /**
   * A subchannel to one address of {@code endpoint}. Starts IDLE; it connects when asked. The
   * caller owns it and closes it.
   *
   * @param listener told of each change of state on the control loop, never before this returns
   */
  Subchannel newSubchannel(Endpoint endpoint, EndpointAddress address, SubchannelListener listener);

  /** Replaces the child's state and picker. Called at least once by the end of each update. */
  void publish(Connectivity state, Picker picker);

  /** Asks for fresh addresses; DNS clusters listen, others do not (A37-05). */
  void requestReresolution();
}
