package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.load.LoadSums;
import io.outrigger.lb.load.MetricTally;
import io.outrigger.lb.state.SubchannelCalls;
import org.jspecify.annotations.Nullable;

/**
 * Counts the calls of one subchannel. Load reports use the same counts, so they add no cost to a
 * call. Package-private methods must run on the control loop.
 */
@AnyThread
final class CountedSubchannel extends DelegatingSubchannel {
  private final CallCounts counts;
  private final int loops;
  private final ClusterMeter meter;
  private final ConnectionMeter connections;
  private volatile @Nullable MetricTally tally; // null if load reports include no metric

  // The following fields are used on the control loop only.
  private Locality locality;
  private SubchannelCalls collected = SubchannelCalls.NONE;
  private @Nullable MetricTally replaced; // event loops may add late reports

  CountedSubchannel(
      Subchannel subchannel,
      int loops,
      Locality locality,
      ClusterMeter meter,
      ConnectionMeter connections) {
    super(subchannel);
    this.counts = new CallCounts(loops);
    this.loops = loops;
    this.locality = locality;
    this.meter = meter;
    this.connections = connections;
  }

  @Override
  public void close() {
    meter.onSubchannelClosed(this);
    connections.close();
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
    connections.setLocality(backend.locality());
    locality = backend.locality();
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
    tally = metrics.isEmpty() ? null : new MetricTally(metrics, loops);
  }

  /** Adds the counts since the last call of {@code collect} to the sums. */
  void collect(LoadSums sums) {
    SubchannelCalls now = counts.totals();
    if (now.active() > 0 || !now.equals(collected)) { // most subchannels are idle: skip these
      sums.add(locality, collected, now);
      collected = now;
    }
    MetricTally current = tally;
    if (current != null) {
      sums.add(locality, current.take());
    }
    if (replaced != null) {
      sums.add(locality, replaced.take());
      replaced = null;
    }
  }

  /** Whether no call was in progress at the last {@link #collect}. */
  boolean isOver() {
    return collected.active() == 0;
  }
}
