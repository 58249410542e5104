package io.outrigger.lb.endpoint.least;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.Subchannel;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the requests of an endpoint that are in flight, over all its addresses (A48 "Outstanding
 * request counters").
 *
 * <p>All event loops share one counter: every pick reads the counters of its candidates, and
 * separate counters would cost a cache line per event loop and candidate.
 */
@AnyThread
final class ActiveRequests {
  private final AtomicInteger active = new AtomicInteger();

  int get() {
    return active.get();
  }

  Subchannel counting(Subchannel subchannel) {
    return new Counting(subchannel, active);
  }

  private static final class Counting extends DelegatingSubchannel {
    private final AtomicInteger active;

    Counting(Subchannel subchannel, AtomicInteger active) {
      super(subchannel);
      this.active = active;
    }

    @Override
    public void callStarted(PickContext call) {
      active.incrementAndGet();
      super.callStarted(call);
    }

    @Override
    public void callEnded(PickContext call, CallOutcome outcome) {
      active.decrementAndGet();
      super.callEnded(call, outcome);
    }
  }
}
