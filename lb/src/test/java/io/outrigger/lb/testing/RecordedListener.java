package io.outrigger.lb.testing;

import io.outrigger.base.RpcStatus;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import java.util.List;

/**
 * Records what happens to a subchannel.
 *
 * @param events receives the subchannel's states and connection events in order
 */
public record RecordedListener(List<Object> events) implements Subchannel.Listener {
  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    events.add(state);
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    events.add(event);
  }
}
