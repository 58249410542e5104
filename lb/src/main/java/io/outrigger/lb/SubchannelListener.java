package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;

/** Receives the states of a subchannel, on the control loop. */
@ControlConfined
public interface SubchannelListener {
  /**
   * @param reason the cause when {@code state} is TRANSIENT_FAILURE, otherwise OK
   */
  void onState(Connectivity state, RpcStatus reason);

  /**
   * A connection was made, lost or changed; the event is independent of states, and never follows
   * the close.
   */
  default void onConnection(ConnectionEvent event) {}
}
