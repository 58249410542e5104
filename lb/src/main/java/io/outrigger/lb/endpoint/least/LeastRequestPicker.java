package io.outrigger.lb.endpoint.least;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;

/**
 * Draws a few endpoints, each from all of them, and takes the one with the fewest requests in
 * flight; of equals the one drawn first (A48 "Picker Behavior").
 */
@AnyThread
final class LeastRequestPicker implements Picker {
  private final PickResult[] results;
  private final ActiveRequests[] active;
  private final int choices;
  private final RandomSource random;

  /**
   * @param active the counters of {@code results}, in the same order
   */
  LeastRequestPicker(
      PickResult[] results, ActiveRequests[] active, int choices, RandomSource random) {
    this.results = results;
    this.active = active;
    this.choices = choices;
    this.random = random;
  }

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
}
