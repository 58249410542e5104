package io.outrigger.proxy.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.ConnectionEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** What A94 counts of connections, over the life of the process. */
@ControlConfined
public final class ConnectionCounters {
  private final Map<Place, Tally> tallies = new HashMap<>();

  /** What was counted of one place, in progress. */
  private static final class Tally {
    long succeeded;
    long failed;
    long open;
    final Map<String, Long> lost = new TreeMap<>();

    Counts counts() {
      return new Counts(succeeded, failed, open, Map.copyOf(lost));
    }
  }

  /**
   * What was counted of one place.
   *
   * @param succeeded attempts to connect
   * @param failed attempts to connect
   * @param open connections now
   * @param lost connections, by A94's word for why
   */
  public record Counts(long succeeded, long failed, long open, Map<String, Long> lost) {}

  void on(String target, String cluster, Locality locality, ConnectionEvent event) {
    Tally tally = of(target, cluster, locality);
    if (event instanceof ConnectionEvent.Made) {
      tally.succeeded++;
      tally.open++;
    } else if (event instanceof ConnectionEvent.Failed) {
      tally.failed++;
    } else if (event instanceof ConnectionEvent.Lost lost) {
      tally.open--;
      tally.lost.merge(lost.error(), 1L, Long::sum);
    } else if (event instanceof ConnectionEvent.Moved moved) {
      tally.open -= moved.open();
      of(target, cluster, moved.to()).open += moved.open();
    }
  }

  private Tally of(String target, String cluster, Locality locality) {
    Place place = new Place(target, cluster, locality.label()).among(tallies.keySet());
    return tallies.computeIfAbsent(place, p -> new Tally());
  }

  /** The counts so far. */
  Map<Place, Counts> counts() {
    Map<Place, Counts> counts = new HashMap<>();
    tallies.forEach((place, tally) -> counts.put(place, tally.counts()));
    return counts;
  }
}
