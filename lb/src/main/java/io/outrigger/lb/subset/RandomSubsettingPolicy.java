package io.outrigger.lb.subset;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reduces the endpoints of its child policy to a random subset (A68), so that not every client of a
 * large fleet connects to every backend. A seed that is drawn once determines the subset, so the
 * subset changes only when endpoints are added or removed.
 *
 * <p>The subset is chosen only during updates. The policy forwards the state, the pickers and the
 * subchannels of its child policy unchanged. Nodes above the policy also know the endpoints outside
 * the subset: outlier detection keeps the history of these endpoints, and a session may use one of
 * them (A75).
 */
@ControlConfined
public final class RandomSubsettingPolicy implements LbPolicy {
  private final ChildSlot child;
  private final Ranking ranking;

  /**
   * The index of each endpoint in the chosen subset. Keys are compared by identity: a configuration
   * has one object per endpoint.
   */
  private final IdentityHashMap<Backend, Integer> ranks = new IdentityHashMap<>();

  private LbConfig.RandomSubset config;

  public RandomSubsettingPolicy(
      PolicyFactory factory, RandomSource random, LbConfig.RandomSubset config, LbParent parent) {
    this.child = new ChildSlot(factory, parent);
    this.ranking = new Ranking(random.nextLong(Long.MAX_VALUE, Purpose.SUBSET));
    this.config = config;
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.RandomSubset) next;
    List<Backend> all = config.backends();
    List<Backend> chosen = ranking.lowest(all, config.subsetSize());
    ranks.clear();
    chosen.forEach(member -> ranks.putIfAbsent(member, ranks.size()));
    boolean isWhole = chosen.size() == all.size();
    child.update(isWhole ? config.child() : partOf(config.child(), chosen));
  }

  @Override
  public void close() {
    child.close();
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    Map<String, Object> settings = Map.of("subset_size", config.subsetSize());
    String detail = ranks.size() + " of " + config.backends().size() + " endpoints";
    visitor.enter(new LbNode(name, config.policy(), child.state(), settings, detail, isUsed));
    child.accept(visitor, name, true);
    for (Backend backend : config.backends()) {
      if (!ranks.containsKey(backend)) {
        visitor.endpoint(LbEndpoint.unconnected(backend));
      }
    }
    visitor.leave();
  }

  /**
   * Returns a configuration with only the chosen endpoints, in the order in which they are listed.
   * Localities without chosen endpoints are removed.
   */
  private LbConfig partOf(LbConfig config, List<Backend> chosen) {
    if (config instanceof LbConfig.Leaf leaf) {
      return partOfLeaf(leaf, chosen);
    }
    if (config instanceof LbConfig.RandomSubset subset) {
      return new LbConfig.RandomSubset(subset.subsetSize(), partOf(subset.child(), chosen));
    }
    if (config instanceof LbConfig.WeightedTarget weighted) {
      List<LbConfig.Target> targets = new ArrayList<>();
      for (LbConfig.Target target : weighted.targets()) {
        List<Backend> part = chosenOf(target.child().backends());
        if (!part.isEmpty()) {
          targets.add(
              new LbConfig.Target(
                  target.locality(), target.weight(), partOf(target.child(), part)));
        }
      }
      return new LbConfig.WeightedTarget(targets);
    }
    throw new AssertionError(config); // random_subsetting has no other children
  }

  private List<Backend> chosenOf(List<Backend> backends) {
    return backends.stream()
        .filter(ranks::containsKey)
        .sorted(Comparator.comparing(ranks::get))
        .toList();
  }

  private static LbConfig partOfLeaf(LbConfig.Leaf leaf, List<Backend> chosen) {
    return new LbConfig.Leaf(
        leaf.settings(),
        chosen,
        leaf.settings().weighsLocalities()
            ? leaf.weights().amongAll(leaf.backends())
            : leaf.weights(),
        leaf.note(),
        leaf.locality());
  }
}
