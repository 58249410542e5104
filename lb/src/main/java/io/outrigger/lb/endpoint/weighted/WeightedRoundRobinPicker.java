package io.outrigger.lb.endpoint.weighted;

import io.outrigger.base.AnyThread;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;

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
}
