package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LocalityWeights;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The slots of a ring grouped by locality and weight. Usually there are few groups, so the shares
 * are computed quickly even for ten thousand slots, although each share depends on all others.
 */
@ControlConfined
final class WeightClasses {
  private final Map<Kind, WeightClass> classes = new HashMap<>();

  private record Kind(Locality locality, long weight) {
    static Kind of(Backend backend) {
      return new Kind(backend.locality(), backend.endpoint().weight());
    }
  }

  /** Adds a slot for {@code backend} to its class and returns the class. */
  WeightClass join(Backend backend) {
    WeightClass joined = classes.computeIfAbsent(Kind.of(backend), kind -> new WeightClass());
    joined.size(joined.size() + 1);
    return joined;
  }

  /** Removes a slot from the class {@code left}. */
  void leave(WeightClass left) {
    left.size(left.size() - 1);
  }

  /** Returns the classes that have slots, after setting their shares (A113). */
  Collection<WeightClass> shared(LocalityWeights weights) {
    classes.values().removeIf(each -> each.size() == 0);
    Map<Locality, Long> sums = new HashMap<>();
    classes.forEach(
        (kind, each) -> sums.merge(kind.locality(), kind.weight() * each.size(), Long::sum));
    LocalityWeights.Shares shares = weights.shares(sums);
    classes.forEach((kind, each) -> each.share(shares.of(kind.locality(), kind.weight())));
    return classes.values();
  }
}
