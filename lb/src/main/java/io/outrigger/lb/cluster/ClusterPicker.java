package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.PickResult.Reason;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.cluster.DropCounts.DropCount;
import io.outrigger.lb.config.LbConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies drops to a call, then picks a subchannel, then counts the call.
 *
 * <p>Each drop category is drawn independently, in order (A27-10), on each pick: the draws come
 * before the child's pick, so that drops also apply to calls that would wait (A27-11, decision
 * lb-0004). A call counts as in flight from the choice of its subchannel, not while it waits
 * (A32-04); a pick that the breaker refuses is not counted at the subchannel.
 */
@AnyThread
final class ClusterPicker implements Picker {
  private final RandomSource random;
  private final CircuitBreaker breaker;
  private final long maxRequests;
  private final DropCategory[] categories;
  private final PickResult[] drops;
  private final DropCount[] counts;
  private final PickResult full;
  private final DropCount refused;
  private final Picker child;

  ClusterPicker(
      LbConfig.ClusterImpl config,
      RandomSource random,
      CircuitBreaker breaker,
      DropCounts counts,
      Picker child) {
    this.random = random;
    this.breaker = breaker;
    this.maxRequests = config.maxRequests();
    this.categories = config.drops().toArray(DropCategory[]::new);
    this.drops = new PickResult[categories.length];
    for (int i = 0; i < drops.length; i++) {
      String reason =
          "dropped by overload category \"" + categories[i].category() + "\" of its drop_overloads";
      drops[i] = new PickResult.Drop(config.note().unavailable(reason), Reason.OVERLOAD_DROP);
    }
    this.counts = config.drops().stream().map(counts::of).toArray(DropCount[]::new);
    this.refused = counts.refused();
    String reason =
        maxRequests + " requests are in flight, its limit (circuit_breakers.max_requests)";
    this.full = new PickResult.Drop(config.note().unavailable(reason), Reason.CIRCUIT_BREAKER);
    this.child = child;
  }

  @Override
  public PickResult pick(PickContext call) {
    for (int i = 0; i < categories.length; i++) {
      if (categories[i].share().draw(random, Purpose.DROP)) {
        counts[i].onDrop();
        return drops[i];
      }
    }
    PickResult result = child.pick(call);
    if (result instanceof PickResult.Use use) {
      if (!breaker.tryAcquire(maxRequests)) {
        refused.onDrop();
        return full;
      }
      use.subchannel().callStarted(call);
      return use.countedBy(breaker);
    }
    return result;
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    PickPlan limited =
        new PickPlan.Limited(breaker.inFlight(), maxRequests, full, child.plan(call));
    if (categories.length == 0) {
      return limited;
    }
    List<PickPlan.Drop> planned = new ArrayList<>();
    for (int i = 0; i < categories.length; i++) {
      planned.add(new PickPlan.Drop(categories[i], drops[i]));
    }
    return new PickPlan.Dropping(planned, limited);
  }
}
