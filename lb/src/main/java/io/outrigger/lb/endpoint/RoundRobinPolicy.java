package io.outrigger.lb.endpoint;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.member.EveryEndpointPolicy;
import io.outrigger.lb.member.LeafEndpoint;
import java.util.List;

/** Picks each READY endpoint in turn. */
@ControlConfined
final class RoundRobinPolicy extends EveryEndpointPolicy<LeafEndpoint> {
  RoundRobinPolicy(LbContext context, LbConfig.Leaf config, LbParent parent) {
    super(context, config, parent);
  }

  @Override
  protected LeafEndpoint newMember(Backend backend) {
    return new LeafEndpoint(context().control(), parent(), backend);
  }

  @Override
  protected Picker picker(List<LeafEndpoint> ready, PickResult[] results) {
    return new RoundRobinPicker(results, context().loops(), context().random());
  }

  /**
   * Gives each call the prepared pick result of the next READY endpoint. Each event loop has its
   * own position, so a pick writes no shared data. The first position is random, so that proxies
   * that start at the same time begin with different endpoints.
   */
  @AnyThread
  private static final class RoundRobinPicker implements Picker {
    /** The number of ints per event loop, enough to keep the loops on different cache lines. */
    private static final int STRIDE = 16;

    private final PickResult[] results;
    private final int[] positions;

    RoundRobinPicker(PickResult[] results, int loops, RandomSource random) {
      this.results = results;
      this.positions = new int[loops * STRIDE];
      int start = (int) random.nextLong(results.length, Purpose.START_INDEX);
      for (int loop = 0; loop < loops; loop++) {
        positions[loop * STRIDE] = (int) (((long) start + loop) % results.length);
      }
    }

    @Override
    public PickResult pick(PickContext call) {
      int slot = call.loop() * STRIDE;
      int position = positions[slot];
      positions[slot] = position + 1 == results.length ? 0 : position + 1;
      return results[position];
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      return PickPlan.Shared.of(results, i -> 1.0 / results.length);
    }
  }
}
