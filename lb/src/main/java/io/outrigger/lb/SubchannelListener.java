package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;

/** Receives the states of a subchannel, on the control loop. */
@ControlConfined
public interface SubchannelListener {
  /**
   * @param state the new state
   * @param reason why, when {@code state} is TRANSIENT_FAILURE; else OK
   */
  void onState(Connectivity state, RpcStatus reason);

  /** A connection was made, lost or changed; independent of states, and never after close. */
  default void onConnection(ConnectionEvent event) {}
}
