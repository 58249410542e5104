package io.outrigger.lb.endpoint.least;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Draws a few endpoints, each from all endpoints, and picks the endpoint with the fewest requests
 * in flight; among equals, the endpoint that was drawn first (A48 "Picker Behavior").
 */
@AnyThread
final class LeastRequestPicker implements Picker {
  private final PickResult[] results;
  private final ActiveRequests[] active;
  private final int choices;
  private final RandomSource random;

  /**
   * @param active the counters of the endpoints of {@code results}, in the same order
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

  /**
   * The picked endpoint has {@code n} requests exactly when all drawn endpoints have {@code n} or
   * more and at least one has {@code n}. Endpoints with equal counts are equally likely.
   */
  @Override
  public PickPlan plan(PlannedCall call) {
    int[] now = new int[active.length];
    for (int i = 0; i < now.length; i++) {
      now[i] = active[i].get();
    }
    int[] sorted = now.clone();
    Arrays.sort(sorted);
    List<PickPlan.Share> shares = new ArrayList<>();
    for (int i = 0; i < now.length; i++) {
      int fewer = countBelow(sorted, now[i]);
      int equal = countBelow(sorted, now[i] + 1) - fewer;
      double all = now.length;
      double wins =
          Math.pow((all - fewer) / all, choices) - Math.pow((all - fewer - equal) / all, choices);
      shares.add(new PickPlan.Share(wins / equal, new PickPlan.Certain(results[i])));
    }
    return new PickPlan.Shared(
        "the fewest requests in flight at this moment among " + choices + " drawn at random",
        shares);
  }

  private static int countBelow(int[] sorted, int value) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
