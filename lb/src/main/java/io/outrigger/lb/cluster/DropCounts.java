package io.outrigger.lb.cluster;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.lb.load.LoadSums;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * Counts the calls that a cluster dropped in each category (A27), and the calls that its breaker
 * refused (A32). A category keeps its count while the control plane configures the category, even
 * if the category's share changes. When a category is removed, its last count is still part of the
 * next collection.
 */
@ControlConfined
final class DropCounts {
  private final DropCount refused = new DropCount();

  /** The counts of the configured categories, and of removed categories until their collection. */
  private final Map<String, DropCount> byCategory = new LinkedHashMap<>();

  private Set<String> configured = Set.of();

  /**
   * Counts the given categories from now on.
   *
   * @param isCollected whether the counts of removed categories are kept for {@link #collect}
   */
  void update(List<DropCategory> drops, boolean isCollected) {
    configured = drops.stream().map(DropCategory::category).collect(Collectors.toSet());
    configured.forEach(category -> byCategory.computeIfAbsent(category, absent -> new DropCount()));
    if (!isCollected) {
      byCategory.keySet().retainAll(configured);
    }
  }

  void collect(LoadSums sums) {
    byCategory.forEach((category, count) -> sums.addDrops(category, count.sinceLast()));
    byCategory.keySet().retainAll(configured);
    sums.addRefused(refused.sinceLast());
  }

  DropCount of(DropCategory drop) {
    return requireNonNull(byCategory.get(drop.category()), drop::category);
  }

  DropCount refused() {
    return refused;
  }

  @AnyThread
  static final class DropCount {
    private final LongAdder total = new LongAdder();
    private long last; // the total at the last report; used on the control loop only

    void onDrop() {
      total.increment();
    }

    long total() {
      return total.sum();
    }

    /** Returns the number of drops since this method last ran; called only on the control loop. */
    private long sinceLast() {
      long before = last;
      last = total();
      return last - before;
    }
  }
}
