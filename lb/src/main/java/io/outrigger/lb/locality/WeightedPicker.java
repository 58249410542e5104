package io.outrigger.lb.locality;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import java.util.ArrayList;
import java.util.List;

/** For each call, draws one of several pickers by weight. */
@AnyThread
final class WeightedPicker implements Picker {
  private final RandomSource random;
  private final long[] upTo;
  private final Picker[] pickers;

  private WeightedPicker(RandomSource random, long[] upTo, Picker[] pickers) {
    this.random = random;
    this.upTo = upTo;
    this.pickers = pickers;
  }

  /**
   * @param weights unsigned 32-bit numbers, at least 1, in the order of {@code pickers}
   */
  static WeightedPicker of(RandomSource random, long[] weights, Picker[] pickers) {
    long[] upTo = new long[weights.length];
    long sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i];
      upTo[i] = sum;
    }
    return new WeightedPicker(random, upTo, pickers);
  }

  @Override
  public PickResult pick(PickContext call) {
    long drawn = random.nextLong(upTo[upTo.length - 1], Purpose.LOCALITY_WEIGHT);
    int i = 0;
    while (drawn >= upTo[i]) {
      i++;
    }
    return pickers[i].pick(call);
  }

  @Override
  public PickPlan plan(PlannedCall call) {
    double all = upTo[upTo.length - 1];
    List<PickPlan.Share> shares = new ArrayList<>();
    for (int i = 0; i < pickers.length; i++) {
      long weight = upTo[i] - (i == 0 ? 0 : upTo[i - 1]);
      shares.add(new PickPlan.Share(weight / all, pickers[i].plan(call)));
    }
    return new PickPlan.Shared(shares);
  }
}
