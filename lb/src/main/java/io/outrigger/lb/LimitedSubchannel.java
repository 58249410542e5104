package io.outrigger.lb;

import io.outrigger.base.AnyThread;

/** A subchannel each of whose calls one breaker has counted in; it counts them out. */
@AnyThread
final class LimitedSubchannel extends DelegatingSubchannel {
  private final Subchannel subchannel;
  private final CircuitBreaker breaker;

  LimitedSubchannel(Subchannel subchannel, CircuitBreaker breaker) {
    this.subchannel = subchannel;
    this.breaker = breaker;
  }

  @Override
  protected Subchannel delegate() {
    return subchannel;
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    breaker.release();
    subchannel.callEnded(call, outcome);
  }
}
