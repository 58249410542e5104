package io.outrigger.oracle;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The subsets that one client was seen to use while every backend was up, by cluster, and what A68
 * promises of them: their size, and that they stay as far as endpoints stay. Seeds are the clients'
 * own, so which endpoints are chosen is nothing to compare.
 */
final class Subsets {
  private record Seen(TrafficStory.Cluster cluster, Set<Integer> chosen) {}

  private final Map<String, Seen> seen = new HashMap<>();
  private final SubsetTally tally;

  Subsets(SubsetTally tally) {
    this.tally = tally;
  }

  /** Its next subset may be any. */
  void forget(String cluster) {
    seen.remove(cluster);
  }

  /** What is wrong with the ports that calls reach; empty if nothing is. */
  Optional<String> wrong(String name, TrafficStory.Cluster cluster, Set<Integer> chosen) {
    Seen before = seen.put(name, new Seen(cluster, chosen));
    int size = Math.min(cluster.subset(), cluster.first().size());
    if (chosen.size() != size || !cluster.first().containsAll(chosen)) {
      return Optional.of(chosen + " are no " + size + " of " + cluster.first());
    }
    if (before == null || before.cluster.priorities().size() != cluster.priorities().size()) {
      tally.add(cluster.first(), chosen);
      return Optional.empty(); // each priority has a subset of its own
    }
    int changes =
        without(cluster.first(), before.cluster.first())
            + without(before.cluster.first(), cluster.first())
            + Math.max(0, cluster.subset() - before.cluster.subset());
    return without(chosen, before.chosen) > changes
        ? Optional.of(chosen + " instead of " + before.chosen + " after " + changes + " changes")
        : Optional.empty();
  }

  private static int without(Iterable<Integer> some, Iterable<Integer> others) {
    Set<Integer> rest = new HashSet<>();
    some.forEach(rest::add);
    others.forEach(rest::remove);
    return rest.size();
  }
}
