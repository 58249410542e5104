package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.CallCounts;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CallTotals;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import java.util.function.Consumer;

/** Counts the calls of one address, and lets the cluster's breaker know of each end. */
@AnyThread
final class CountedSubchannel extends DelegatingSubchannel {
  private final Subchannel subchannel;
  private final CircuitBreaker breaker;
  private final CallCounts counts;
  private final Consumer<Subchannel> onClose;

  /**
   * @param onClose told on the control loop
   */
  CountedSubchannel(
      Subchannel subchannel, CircuitBreaker breaker, int loops, Consumer<Subchannel> onClose) {
    this.subchannel = subchannel;
    this.onClose = onClose;
    this.breaker = breaker;
    this.counts = new CallCounts(loops);
  }

  @Override
  protected Subchannel delegate() {
    return subchannel;
  }

  @Override
  public void close() {
    onClose.accept(this);
    subchannel.close();
  }

  @Override
  public void callStarted(PickContext call) {
    counts.onStarted(call.loop());
    subchannel.callStarted(call);
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    breaker.release();
    counts.onEnded(call.loop(), outcome);
    subchannel.callEnded(call, outcome);
  }

  @Override
  public CallTotals calls() {
    return counts.totals();
  }
}
