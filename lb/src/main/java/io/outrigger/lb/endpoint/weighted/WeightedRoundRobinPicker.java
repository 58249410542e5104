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
 * Picks endpoints in turn, as often as their weights allow. Each event loop counts its own turns,
 * in an array that all pickers of a policy share, so that new weights do not restart the round.
 */
@AnyThread
final class WeightedRoundRobinPicker implements Picker {
  /** Longs per event loop: the distance keeps the counts of two loops on different cache lines. */
  static final int STRIDE = 8;

  private final PickResult[] results;
  private final StaticStride turns;
  private final long[] sequences;

  /**
   * @param turns the turns of the endpoints of {@code results}, by their index
   * @param sequences the turn counts of all event loops, {@link #STRIDE} apart
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
