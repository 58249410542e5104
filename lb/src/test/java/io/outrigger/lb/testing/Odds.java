package io.outrigger.lb.testing;

import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import java.util.ArrayList;
import java.util.List;

/** One of the results of a plan, with its probability. */
public record Odds(double probability, PickResult result) {
  /** Returns all results; their probabilities sum up to 1, or to less when some are unknown. */
  public static List<Odds> of(PickPlan plan) {
    List<Odds> odds = new ArrayList<>();
    plan.forEachResult(1, (result, probability) -> odds.add(new Odds(probability, result)));
    return odds;
  }
}
