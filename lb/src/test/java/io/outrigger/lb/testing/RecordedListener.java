package io.outrigger.lb.testing;

import io.outrigger.base.RpcStatus;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import java.util.List;

/**
 * The listener of a subchannel, which keeps what it is told in order.
 *
 * @param told the states and connection events
 */
public record RecordedListener(List<Object> told) implements Subchannel.Listener {
  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    told.add(state);
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    told.add(event);
  }
}
