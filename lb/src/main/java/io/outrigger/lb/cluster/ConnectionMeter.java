package io.outrigger.lb.cluster;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbObserver;

/**
 * Reports the connections of one subchannel to the observer, with their cluster and locality (A94),
 * and forwards the states of the subchannel. When the subchannel is closed, its open connections
 * are reported as lost.
 */
@ControlConfined
final class ConnectionMeter implements Subchannel.Listener {
  private final LbObserver observer;
  private final Subchannel.Listener owner;
  private ConnectionEvent.Group group;
  private int open;
  private boolean closed;

  ConnectionMeter(LbObserver observer, ConnectionEvent.Group group, Subchannel.Listener owner) {
    this.observer = observer;
    this.group = group;
    this.owner = owner;
  }

  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    owner.onState(state, reason);
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    if (closed) {
      return; // close() has reported this connection as lost
    }
    if (event instanceof ConnectionEvent.Made) {
      open++;
    } else if (event instanceof ConnectionEvent.Lost) {
      open--;
    }
    observer.onConnection(group, event);
    owner.onConnection(event);
  }

  void setLocality(Locality next) {
    if (open > 0) {
      observer.onConnection(group, new ConnectionEvent.Moved(open, next));
    }
    group = new ConnectionEvent.Group(group.cluster(), next, group.secure());
  }

  void close() {
    while (open > 0) {
      onConnection(ConnectionEvent.Lost.NOT_NEEDED);
    }
    closed = true;
  }
}
