package io.outrigger.lb.subset;

import io.outrigger.base.ControlConfined;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/** The endpoints of a cluster that belong to the random subset (A68). */
@ControlConfined
final class Membership {
  private final List<Backend> members;

  /**
   * The index of each member; keyed by identity, because a configuration has only one object for
   * each endpoint.
   */
  private final IdentityHashMap<Backend, Integer> places;

  Membership(List<Backend> members) {
    this.members = List.copyOf(members);
    places = new IdentityHashMap<>(members.size());
    members.forEach(member -> places.putIfAbsent(member, places.size()));
  }

  int size() {
    return places.size();
  }

  boolean has(Backend backend) {
    return places.containsKey(backend);
  }

  /**
   * Returns {@code config}, which must contain all members, reduced to the members, in the order of
   * the members. Localities without members are removed; everything else, including weights, is
   * unchanged.
   */
  LbConfig partOf(LbConfig config) {
    return partOf(config, members);
  }

  private LbConfig partOf(LbConfig config, List<Backend> chosen) {
    if (config instanceof LbConfig.Leaf<?> leaf) {
      return partOfLeaf(leaf, chosen);
    }
    if (config instanceof LbConfig.RandomSubset subset) {
      return new LbConfig.RandomSubset(subset.subsetSize(), partOf(subset.child(), chosen));
    }
    if (config instanceof LbConfig.WeightedTarget weighted) {
      List<LbConfig.Target> targets = new ArrayList<>();
      for (LbConfig.Target target : weighted.targets()) {
        List<Backend> here = among(target.child().backends());
        if (!here.isEmpty()) {
          targets.add(
              new LbConfig.Target(
                  target.locality(), target.weight(), partOf(target.child(), here)));
        }
      }
      return new LbConfig.WeightedTarget(targets);
    }
    throw new AssertionError(config); // nothing else is below random_subsetting
  }

  private List<Backend> among(List<Backend> backends) {
    return backends.stream().filter(this::has).sorted(Comparator.comparing(places::get)).toList();
  }

  private static <S extends BalancingPolicy.EndpointPicking> LbConfig partOfLeaf(
      LbConfig.Leaf<S> leaf, List<Backend> chosen) {
    return new LbConfig.Leaf<>(
        leaf.settings(),
        chosen,
        leaf.settings().weighsLocalities()
            ? leaf.weights().amongAll(leaf.backends())
            : leaf.weights(),
        leaf.note(),
        leaf.locality());
  }
}
