package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives turns by weight. Each event loop counts turns for itself, in a place that the pickers of a
 * policy share, so that new weights do not begin a new round.
 */
@AnyThread
final class WeightedRoundRobinPicker implements Picker {
  /** Longs per loop: each loop's count has a cache line to itself. */
  static final int STRIDE = 8;

  private final PickResult[] results;
  private final StaticStride turns;
  private final long[] sequences;

  /**
   * @param turns of {@code results}, by their index
   * @param sequences the counts of all loops, {@link #STRIDE} apart
   */
  WeightedRoundRobinPicker(PickResult[] results, StaticStride turns, long[] sequences) {
    this.results = results;
    this.turns = turns;
    this.sequences = sequences;
  }

  @Override
  public PickResult pick(PickContext call) {
    int slot = call.loop() * STRIDE;
    long sequence = sequences[slot];
    int turn;
    do {
      turn = turns.turn(sequence);
      sequence++;
    } while (turn < 0);
    sequences[slot] = sequence;
    return results[turn];
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    List<PickPlan.Share> shares = new ArrayList<>();
    for (int i = 0; i < results.length; i++) {
      shares.add(new PickPlan.Share(turns.share(i), new PickPlan.Certain(results[i])));
    }
    return new PickPlan.Shared("turns by weight, event loop by event loop", shares);
  }
}
