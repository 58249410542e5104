package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;

/** Hears of a subchannel's states, on the control loop. */
@ControlConfined
public interface SubchannelListener {
  /**
   * @param state the new state
   * @param reason why, when {@code state} is TRANSIENT_FAILURE; else OK
   */
  void onState(Connectivity state, RpcStatus reason);

  /** Something became of one of its connections; independent of states, and never after close. */
  default void onConnection(ConnectionEvent event) {}
}
