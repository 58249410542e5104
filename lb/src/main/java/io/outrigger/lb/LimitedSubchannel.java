package io.outrigger.lb;

import io.outrigger.base.AnyThread;

/**
 * A subchannel whose calls one circuit breaker has counted as in flight; it reports their ends to
 * the breaker.
 */
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
