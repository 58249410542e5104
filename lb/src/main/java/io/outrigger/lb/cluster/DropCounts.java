package io.outrigger.lb.cluster;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.DropCategory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many calls a cluster dropped in each category (A27), and how many its breaker refused (A32).
 * A category keeps its count for as long as the control plane names it, whatever its share.
 */
@ControlConfined
final class DropCounts {
  private final int loops;
  private final DropCount refused;
  private Map<String, DropCount> byCategory = Map.of();

  DropCounts(int loops) {
    this.loops = loops;
    this.refused = new DropCount(loops);
  }

  /** Counts for these categories from now on, and for no others. */
  void update(List<DropCategory> drops) {
    Map<String, DropCount> next = new LinkedHashMap<>();
    for (DropCategory drop : drops) {
      DropCount known = byCategory.get(drop.category());
      next.putIfAbsent(drop.category(), known == null ? new DropCount(loops) : known);
    }
    byCategory = next;
  }

  /** The counter of a category that {@link #update} named. */
  DropCount of(DropCategory drop) {
    DropCount count = byCategory.get(drop.category());
    if (count == null) {
      throw new IllegalStateException("category \"" + drop.category() + "\" is not counted");
    }
    return count;
  }

  /** The counter of calls that the breaker refused. */
  DropCount refused() {
    return refused;
  }
}
