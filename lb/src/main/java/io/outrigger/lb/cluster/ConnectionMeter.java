package io.outrigger.lb.cluster;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.ConnectionEvent;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbObserver;
import io.outrigger.lb.SubchannelListener;

/**
 * Tells the observer of the connections of one address, with the cluster and the locality that they
 * count for (A94); passes the states on. What is open when the subchannel is given up has ended.
 */
@ControlConfined
final class ConnectionMeter implements SubchannelListener {
  private final LbObserver observer;
  private final String cluster;
  private final SubchannelListener owner;
  private Locality locality;
  private int open;
  private boolean closed;

  /**
   * @param locality where the endpoint stands at first
   */
  ConnectionMeter(
      LbObserver observer, String cluster, Locality locality, SubchannelListener owner) {
    this.observer = observer;
    this.cluster = cluster;
    this.locality = locality;
    this.owner = owner;
  }

  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    owner.onState(state, reason);
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    if (closed) {
      return; // it was counted out already
    }
    if (event instanceof ConnectionEvent.Made) {
      open++;
    } else if (event instanceof ConnectionEvent.Lost) {
      open--;
    }
    observer.onConnection(cluster, locality, event);
    owner.onConnection(event);
  }

  void standsIn(Locality next) {
    if (open > 0) {
      observer.onConnection(cluster, locality, new ConnectionEvent.Moved(open, next));
    }
    locality = next;
  }

  void close() {
    while (open > 0) {
      onConnection(ConnectionEvent.Lost.NOT_NEEDED);
    }
    closed = true;
  }
}
