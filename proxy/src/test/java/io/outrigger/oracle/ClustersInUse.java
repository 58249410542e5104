package io.outrigger.oracle;

import io.outrigger.oracle.TrafficStory.Cluster;
import io.outrigger.oracle.TrafficStory.Step;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which clusters both clients are to have in use as the story goes on: what is refused or deleted
 * leaves the last good one in force (A88), and what has no route is forgotten.
 */
final class ClustersInUse {
  private final Map<String, Cluster> deployed = new HashMap<>();
  private final Map<String, Cluster> used = new HashMap<>();
  private final Set<String> routed = new HashSet<>();
  private final Set<String> mayDiffer = new HashSet<>();
  private final Subsets ours;
  private final Subsets grpc;
  private Optional<Step.Routes> routes = Optional.empty();
  private boolean attached;

  ClustersInUse(TrafficTotals totals) {
    ours = new Subsets(totals.ours);
    grpc = new Subsets(totals.grpc);
  }

  void apply(Step step) {
    if (step instanceof Step.Attach) {
      attached = true;
      route();
    } else if (step instanceof Step.Routes next) {
      routes = Optional.of(next);
      route();
    } else if (step instanceof Step.Deploy deploy) {
      String name = deploy.name();
      deploy.cluster().ifPresentOrElse(it -> deployed.put(name, it), () -> deployed.remove(name));
      if (routed.contains(name)) {
        use(name);
      }
    }
  }

  private void route() {
    if (!attached || !routes.map(Step.Routes::isValid).orElse(false)) {
      return;
    }
    for (String name : TrafficStory.CLUSTERS) {
      if (!routes.get().to(name).leads()) {
        if (routed.remove(name)) {
          mayDiffer.add(name);
        }
        used.remove(name);
        forgetSubsets(name);
      } else if (routed.add(name)) {
        use(name);
      }
    }
  }

  /** Of one that is refused, the endpoints alone count: they are another resource. */
  private void use(String name) {
    Cluster next = deployed.get(name);
    Cluster before = used.get(name);
    if (next == null) {
      return;
    }
    if (before != null && (before.tls() != next.tls() || before.moves(next))) {
      mayDiffer.add(name);
    }
    if (next.isValid()) {
      used.put(name, next);
      if (next.subset() == 0) {
        forgetSubsets(name);
      } else {
        mayDiffer.add(name);
      }
    } else if (before != null && before.renamed() == next.renamed()) {
      used.put(
          name, new Cluster(before.renamed(), before.subset(), before.tls(), next.priorities()));
    }
  }

  private void forgetSubsets(String name) {
    ours.forget(name);
    grpc.forget(name);
  }

  /** The cluster as it is in use; empty when it is not, or was never there. */
  Optional<Cluster> of(String name) {
    return Optional.ofNullable(used.get(name));
  }

  boolean areAllInUse() {
    return used.keySet().containsAll(TrafficStory.CLUSTERS);
  }

  /** Whether the routes in force lead nowhere. */
  boolean areNone() {
    return routed.isEmpty();
  }

  /**
   * Whether the clients may have other connections while not all backends are up: subsets are
   * drawn; gRPC keeps connections where TLS changes, and those of a cluster that lost its routes
   * for a while; ours keep one whose endpoint moves to another priority.
   */
  boolean mayDiffer(String name) {
    return mayDiffer.contains(name);
  }

  /** What is wrong with the subsets that calls reach while all backends are up. */
  Optional<String> wrong(String name, Set<Integer> ours, Set<Integer> grpc) {
    return of(name)
        .flatMap(
            cluster ->
                this.ours
                    .wrong(name, cluster, ours)
                    .or(() -> this.grpc.wrong(name, cluster, grpc).map(wrong -> "gRPC: " + wrong)));
  }
}
