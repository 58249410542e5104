package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.WeightUpdate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The counts of A78 for weight updates, over the life of the process. */
@ControlConfined
public final class WeightCounters {
  /** OpenTelemetry's default bounds, since A78 defines none. */
  static final List<Double> BOUNDS =
      List.of(
          0.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2500.0, 5000.0,
          7500.0, 10000.0);

  private final Map<Place, Tally> tallies = new HashMap<>();

  /** The current counts of one place. */
  private static final class Tally {
    long fallbacks;
    long notYetUsable;
    long stale;
    final Buckets weights = new Buckets(BOUNDS);
  }

  /**
   * The counts of one place.
   *
   * @param fallbacks updates that left all endpoints with the same weight
   * @param notYetUsable endpoints whose weight was not usable yet, counted at each update
   * @param stale endpoints whose weight was too old, counted at each update
   */
  public record Counts(long fallbacks, long notYetUsable, long stale, Buckets.Counts weights) {}

  void on(String target, WeightUpdate update) {
    Place place = new Place(target, update.cluster(), update.locality()).among(tallies.keySet());
    Tally tally = tallies.computeIfAbsent(place, p -> new Tally());
    tally.fallbacks += update.isFallback() ? 1 : 0;
    tally.notYetUsable += update.notYetUsable();
    tally.stale += update.stale();
    for (double weight : update.weights()) {
      tally.weights.record(weight);
    }
  }

  /** Returns the counts so far. */
  Map<Place, Counts> counts() {
    Map<Place, Counts> counts = new HashMap<>();
    tallies.forEach(
        (place, tally) ->
            counts.put(
                place,
                new Counts(
                    tally.fallbacks, tally.notYetUsable, tally.stale, tally.weights.counts())));
    return counts;
  }
}
