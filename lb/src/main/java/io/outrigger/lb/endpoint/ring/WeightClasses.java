package io.outrigger.lb.endpoint.ring;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LocalityWeights;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The slots of a ring by locality and weight. Most often there are few kinds, so that the shares of
 * ten thousand, each of which depends on all others, are soon computed.
 */
@ControlConfined
final class WeightClasses {
  private final Map<Kind, WeightClass> classes = new HashMap<>();

  private record Kind(Locality locality, long weight) {
    static Kind of(Backend backend) {
      return new Kind(backend.locality(), backend.endpoint().weight());
    }
  }

  /** One slot more for {@code backend}. */
  WeightClass join(Backend backend) {
    WeightClass joined = classes.computeIfAbsent(Kind.of(backend), kind -> new WeightClass());
    joined.size(joined.size() + 1);
    return joined;
  }

  /** One slot less. */
  void leave(WeightClass left) {
    left.size(left.size() - 1);
  }

  /** The classes that have slots, with their shares (A113). */
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
