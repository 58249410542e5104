package io.outrigger.lb.endpoint;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * For each call, draws a few READY endpoints with replacement, and picks the drawn endpoint with
 * the fewest requests in flight. On a tie, the endpoint that was drawn first is picked (A48).
 *
 * <p>All event loops share one counter per endpoint. With one counter per event loop, a pick would
 * read the counters of all event loops for each drawn endpoint.
 */
@ControlConfined
final class LeastRequestPolicy extends EveryEndpointPolicy<LeastRequestPolicy.Member> {
  LeastRequestPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    super(context, config, parent);
  }

  @Override
  protected Member newMember(Backend backend) {
    return new Member(context().control(), parent(), backend, new AtomicInteger());
  }

  @Override
  protected Picker picker(List<Member> ready, PickResult[] results) {
    return new FewestRequests(
        results,
        ready.stream().map(member -> member.active).toArray(AtomicInteger[]::new),
        choices(),
        context().random());
  }

  private int choices() {
    return ((BalancingPolicy.LeastRequest) config().settings()).choices();
  }

  @Override
  protected Map<String, Object> shownSettings() {
    return Map.of("choice_count", choices());
  }

  /** An endpoint, with a counter of the requests in flight over all its addresses. */
  static final class Member extends LeafEndpoint {
    private final AtomicInteger active;

    private Member(ControlLoop control, LbParent parent, Backend backend, AtomicInteger active) {
      super(control, ComposedParent.wrapping(parent, each -> new Counting(each, active)), backend);
      this.active = active;
    }
  }

  @AnyThread
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

  /**
   * @param active the counters of requests in flight, one for each element of {@code results}
   */
  @AnyThread
  @SuppressWarnings("ArrayRecordComponent") // instances are never compared
  private record FewestRequests(
      PickResult[] results, AtomicInteger[] active, int choices, RandomSource random)
      implements Picker {
    @Override
    public PickResult pick(PickContext call) {
      int best = draw();
      int fewest = active[best].get();
      for (int i = 1; i < choices; i++) {
        int drawn = draw();
        int requests = active[drawn].get();
        if (requests < fewest) {
          best = drawn;
          fewest = requests;
        }
      }
      return results[best];
    }

    private int draw() {
      return (int) random.nextLong(results.length, Purpose.LEAST_REQUEST);
    }

    /**
     * The picked endpoint has the minimum count of the drawn endpoints. Endpoints with equal counts
     * have equal probabilities.
     */
    @Override
    public PickPlan plan(PlannedCall call) {
      var now = new int[active.length];
      var endpoints = new TreeMap<Integer, Integer>(); // endpoints per number of requests
      for (int i = 0; i < now.length; i++) {
        now[i] = active[i].get();
        endpoints.merge(now[i], 1, Integer::sum);
      }
      var odds = new HashMap<Integer, Double>();
      double all = now.length;
      double asManyOrMore = all;
      for (Map.Entry<Integer, Integer> equal : endpoints.entrySet()) {
        double more = asManyOrMore - equal.getValue();
        double wins = Math.pow(asManyOrMore / all, choices) - Math.pow(more / all, choices);
        odds.put(equal.getKey(), wins / equal.getValue());
        asManyOrMore = more;
      }
      return PickPlan.Shared.of(results, i -> odds.getOrDefault(now[i], 0.0));
    }
  }
}
