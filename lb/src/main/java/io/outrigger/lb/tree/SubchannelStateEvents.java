package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.ConnectionEvent;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbEvent;
import io.outrigger.lb.LbObserver;
import io.outrigger.lb.SubchannelListener;

/**
 * Passes the states of a subchannel on, and tells the observer those that are news (see {@link
 * LbEvent.EndpointState}).
 *
 * <pre>
 * WELL   -> LOST    on IDLE after READY: told
 * any    -> FAILING on TRANSIENT_FAILURE: told, once
 * LOST, FAILING -> WELL on READY: told
 * </pre>
 */
@ControlConfined
final class SubchannelStateEvents implements SubchannelListener {
  private enum Known {
    NEW,
    WELL,
    LOST,
    FAILING
  }

  private final String cluster;
  private final EndpointAddress address;
  private final ControlLoop control;
  private final LbObserver observer;
  private final SubchannelListener listener;
  private Known known = Known.NEW;

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
    Known next = next(state);
    boolean isNews = next != known && !(known == Known.NEW && next == Known.WELL);
    known = next;
    if (isNews) {
      observer.onEvent(new LbEvent.EndpointState(cluster, control.now(), address, state, reason));
    }
    listener.onState(state, reason);
  }

  @Override
  public void onConnection(ConnectionEvent event) {
    listener.onConnection(event);
  }

  private Known next(Connectivity state) {
    return switch (state) {
      case READY -> Known.WELL;
      case TRANSIENT_FAILURE -> Known.FAILING;
      case IDLE -> known == Known.WELL ? Known.LOST : known;
      case CONNECTING -> known;
    };
  }
}
