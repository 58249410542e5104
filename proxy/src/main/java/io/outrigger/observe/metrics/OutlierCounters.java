package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.OutlierEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The counts of A91, over the life of the process. The counts of a removed cluster are kept, so
 * that counters never decrease.
 */
@ControlConfined
public final class OutlierCounters {
  private final Map<Key, Long> counts = new HashMap<>();

  /**
   * The labels of one count.
   *
   * @param target the xDS target whose requests were observed ({@code grpc.target})
   * @param cluster the leaf cluster ({@code grpc.lb.backend_service})
   * @param method A91's name of the detection method
   * @param unenforcedReason A91's name of the reason; empty for enforced ejections
   */
  public record Key(
      String target, String cluster, String method, Optional<String> unenforcedReason) {}

  /** Returns an observer that counts for {@code target}. */
  public LbObserver of(String target) {
    return event -> {
      if (event instanceof OutlierEvent.Ejected ejected) {
        add(target, ejected, ejected.evidence(), Optional.empty());
      } else if (event instanceof OutlierEvent.Spared spared) {
        add(target, spared, spared.evidence(), Optional.of(spared.reason().word()));
      }
    };
  }

  /** Returns the counts so far. */
  public Map<Key, Long> counts() {
    return Map.copyOf(counts);
  }

  private void add(
      String target,
      OutlierEvent event,
      OutlierEvent.Evidence evidence,
      Optional<String> unenforcedReason) {
    var key = new Key(target, event.cluster(), evidence.method().word(), unenforcedReason);
    counts.merge(key, 1L, Long::sum);
  }
}
