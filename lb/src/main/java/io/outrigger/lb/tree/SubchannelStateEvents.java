package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.SubchannelListener;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.LbObserver;

/**
 * Forwards the states of a subchannel, and reports the states that matter to an operator as events
 * (see {@link LbEvent.EndpointState}):
 *
 * <pre>
 * READY                 -> DISCONNECTED  on IDLE
 * any                   -> FAILING       on TRANSIENT_FAILURE, once
 * DISCONNECTED, FAILING -> READY         on READY
 * </pre>
 */
@ControlConfined
final class SubchannelStateEvents implements SubchannelListener {
  private enum Last {
    NEW,
    READY,
    DISCONNECTED,
    FAILING
  }

  private final String cluster;
  private final EndpointAddress address;
  private final ControlLoop control;
  private final LbObserver observer;
  private final SubchannelListener listener;
  private Last last = Last.NEW;

  SubchannelStateEvents(
      String cluster,
      EndpointAddress address,
      ControlLoop control,
      LbObserver observer,
      SubchannelListener listener) {
    this.cluster = cluster;
    this.address = address;
    this.control = control;
    this.observer = observer;
    this.listener = listener;
  }

  @Override
  public void onState(Connectivity state, RpcStatus reason) {
    Last next = next(state);
    boolean isEvent = next != last && !(last == Last.NEW && next == Last.READY);
    last = next;
    if (isEvent) {
      observer.onEvent(new LbEvent.EndpointState(cluster, control.now(), address, state, reason));
    }
    listener.onState(state, reason);
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    listener.onConnection(event);
  }

  private Last next(Connectivity state) {
    return switch (state) {
      case READY -> Last.READY;
      case TRANSIENT_FAILURE -> Last.FAILING;
      case IDLE -> last == Last.READY ? Last.DISCONNECTED : last;
      case CONNECTING -> last;
    };
  }
}
