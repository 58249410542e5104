package io.outrigger.lb;

import io.outrigger.base.AnyThread;

/**
 * A subchannel whose calls one circuit breaker has counted as in flight; it reports their ends to
 * the breaker.
 */
@AnyThread
final class LimitedSubchannel extends DelegatingSubchannel {
  private final CircuitBreaker breaker;

  LimitedSubchannel(Subchannel subchannel, CircuitBreaker breaker) {
    super(subchannel);
    this.breaker = breaker;
  }

  @Override
  public void callEnded(PickContext call, CallOutcome outcome) {
    breaker.release();
    super.callEnded(call, outcome);
  }
}
