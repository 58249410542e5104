package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.load.LoadSums;
import io.outrigger.lb.load.MetricTally;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.SubchannelCalls;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of one subchannel, and reports its connections to the observer (A94). Load
 * reports read these call counts, so that load reporting adds no cost to a call. Package-private
 * methods must run on the control loop.
 */
@AnyThread
final class CountedSubchannel extends DelegatingSubchannel implements Subchannel.Listener {
  private final CallCounts counts;
  private final LbContext context;
  private final ClusterMeter meter;
  private final Subchannel.Listener owner;
  private volatile @Nullable MetricTally tally; // null if load reports include no metric

  // The following fields are used on the control loop only.
  private ConnectionEvent.Group group;
  private int openConnections;
  private boolean closed;
  private SubchannelCalls collected = SubchannelCalls.NONE;
  private @Nullable MetricTally replaced; // event loops may add late reports

  /** Creates a wrapper. The subchannel that it wraps must have this wrapper as its listener. */
  CountedSubchannel(
      LbContext context,
      ConnectionEvent.Group group,
      ClusterMeter meter,
      Subchannel.Listener owner) {
    this.counts = new CallCounts(context.loops());
    this.context = context;
    this.group = group;
    this.meter = meter;
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
      openConnections++;
    } else if (event instanceof ConnectionEvent.Lost) {
      openConnections--;
    }
    context.observer().onConnection(group, event);
    owner.onConnection(event);
  }

  @Override
  public void close() {
    meter.onSubchannelClosed(this);
    while (openConnections > 0) {
      onConnection(ConnectionEvent.Lost.NOT_NEEDED);
    }
    closed = true;
    super.close();
  }

  @Override
  public void callStarted(PickContext call) {
    counts.onStarted(call.loop());
    super.callStarted(call);
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    counts.onEnded(call.loop(), outcome);
    super.callEnded(call, outcome);
  }

  @Override
  public boolean wantsBackendMetrics() {
    return tally != null || super.wantsBackendMetrics();
  }

  @Override
  public void onBackendMetrics(PickContext call, BackendMetrics report) {
    MetricTally current = tally;
    if (current != null) {
      current.onReport(call.loop(), report);
    }
    if (super.wantsBackendMetrics()) {
      super.onBackendMetrics(call, report);
    }
  }

  @Override
  public void update(Backend backend) {
    meter.beforeChange(this);
    Locality next = backend.locality();
    if (openConnections > 0) {
      context.observer().onConnection(group, new ConnectionEvent.Moved(openConnections, next));
    }
    group = new ConnectionEvent.Group(group.cluster(), next, group.secure());
    super.update(backend);
  }

  @Override
  public FailureNote note() {
    return meter.note();
  }

  @Override
  public SubchannelCalls calls() {
    return counts.totals();
  }

  void propagate(PropagatedMetrics metrics) {
    meter.beforeChange(this); // collects the sums of the replaced tally too
    replaced = tally;
    tally = metrics.isEmpty() ? null : new MetricTally(metrics, context.loops());
  }

  /** Adds to the sums what was counted since this method was last called. */
  void collect(LoadSums sums) {
    SubchannelCalls now = counts.totals();
    if (now.active() > 0 || !now.equals(collected)) { // most subchannels are idle: skip these
      sums.add(group.locality(), collected, now);
      collected = now;
    }
    MetricTally current = tally;
    if (current != null) {
      sums.add(group.locality(), current.take());
    }
    if (replaced != null) {
      sums.add(group.locality(), replaced.take());
      replaced = null;
    }
  }

  /** Whether all calls had ended when {@link #collect} last ran. */
  boolean isOver() {
    return collected.active() == 0;
  }
}
