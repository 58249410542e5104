package io.outrigger.observe.metrics;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.lb.view.OutlierEvent;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What A91 counts, over the life of the process: a cluster that goes takes no count along, so that
 * the counters never fall.
 */
@ControlConfined
public final class OutlierCounters {
  private final Map<Key, Long> counts = new HashMap<>();

  /**
   * What is counted apart.
   *
   * @param target the xDS target whose requests were watched ({@code grpc.target})
   * @param cluster the leaf ({@code grpc.lb.backend_service})
   * @param method A91's word
   * @param unenforcedReason A91's word; empty for ejections
   */
  public record Key(
      String target, String cluster, String method, Optional<String> unenforcedReason) {}

  /** An observer that counts for {@code target}. */
  public LbObserver of(String target) {
    return event -> {
      if (event instanceof OutlierEvent.Ejected ejected) {
        add(target, ejected, ejected.evidence(), Optional.empty());
      } else if (event instanceof OutlierEvent.Spared spared) {
        add(target, spared, spared.evidence(), Optional.of(spared.reason().word()));
      }
    };
  }

  /** The counts so far. */
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
