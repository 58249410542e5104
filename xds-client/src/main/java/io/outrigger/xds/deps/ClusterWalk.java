package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
import io.outrigger.base.RpcStatus.Code;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.xds.ResourceType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Visits clusters and their dependencies, which are other clusters and endpoints (A37, A74, A75).
 * Each walk of the resource graph has its own instance.
 */
@ControlConfined
final class ClusterWalk {
  /** The maximum number of causes that the error message of a failed aggregate cluster lists. */
  private static final int MAX_REASONS = 5;

  private final DependencyGraph.Lookup lookup;
  private final ResolutionNotes notes;
  private final Map<String, Outcome<ClusterConfig>> previous;

  /** The results of visited clusters; complete only when {@link #unresolved} is empty. */
  final Map<String, Outcome<ClusterConfig>> clusters = new HashMap<>();

  /** The names of the clusters whose result is copied from the previous walk. */
  final Set<String> kept = new HashSet<>();

  final Map<String, List<String>> byService = new HashMap<>();
  final List<String> unresolved = new ArrayList<>();

  ClusterWalk(
      DependencyGraph.Lookup lookup,
      ResolutionNotes notes,
      Map<String, Outcome<ClusterConfig>> previous) {
    this.lookup = lookup;
    this.notes = notes;
    this.previous = previous;
  }

  /**
   * Visits the clusters that calls in progress still use, although no route names them (A31-06). If
   * a resource of a cluster is unresolved, the cluster keeps its previous result (A31-41).
   */
  void visitHeld(Iterable<String> names) {
    for (String name : names) {
      int before = unresolved.size();
      visit(name);
      if (unresolved.size() > before) {
        unresolved.subList(before, unresolved.size()).clear();
        keepPrevious(name);
      }
    }
  }

  private void keepPrevious(String name) {
    Outcome<ClusterConfig> last = previous.get(name);
    if (last == null) {
      clusters.remove(name); // no earlier configuration had this cluster
      return;
    }
    clusters.put(name, last);
    kept.add(name);
    if (last instanceof Outcome.Ok<ClusterConfig> ok
        && ok.value() instanceof ClusterConfig.Aggregate aggregate) {
      for (String leaf : aggregate.leaves()) { // so that they stay watched, too
        if (!isAggregate(lookup.clusters().apply(leaf))) {
          visitHeld(List.of(leaf));
        } else if (!clusters.containsKey(leaf)) {
          keepPrevious(leaf); // the kept aggregate needs it as a leaf
        }
      }
    }
  }

  /**
   * Visits a cluster and the clusters below it. An aggregate below the root gets no result: the
   * result would not be used, and finding the leaves of every aggregate would take quadratic time.
   */
  void visit(String root) {
    if (clusters.containsKey(root)) {
      return;
    }
    Flattening tree = new Flattening(root, lookup.clusters());
    // If the tree is too deep, the root fails (A75-12), and no other cluster gets a result.
    for (String name : tree.tooDeep ? Set.of(root) : tree.reached) {
      WatchState<ClusterResource> known = lookup.clusters().apply(name);
      if (!isAggregate(known)) {
        if (!clusters.containsKey(name)) {
          visitLeaf(name, known);
        }
      } else if (name.equals(root)) {
        put(name, aggregate(name, known, tree));
      }
    }
  }

  /** Stores a result; reuses an equal result of the previous walk for cheap later comparisons. */
  private void put(String name, Outcome<ClusterConfig> result) {
    Outcome<ClusterConfig> last = previous.get(name);
    clusters.put(name, result.equals(last) ? last : result);
  }

  private Outcome<ClusterConfig> aggregate(
      String name, WatchState<ClusterResource> known, Flattening tree) {
    if (tree.tooDeep) {
      return failed(
          "aggregate cluster \"%s\" is nested deeper than %d levels"
              .formatted(name, Flattening.MAX_DEPTH));
    }
    if (tree.leaves.isEmpty()) {
      return failed("aggregate cluster \"" + name + "\" has no leaf" + reasons(tree));
    }
    return Outcome.ok(
        new ClusterConfig.Aggregate(
            known.value().orElseThrow(),
            tree.leaves, // without failed clusters (A75-13)
            notes.note(known.ambient(), RpcStatus.OK)));
  }

  private static String reasons(Flattening tree) {
    if (tree.failed.isEmpty()) {
      return ": it only leads to itself"; // A75-10
    }
    List<String> reasons =
        tree.failed.entrySet().stream()
            .map(e -> ResolutionNotes.describe(ResourceType.CLUSTER, e.getKey(), e.getValue()))
            .toList();
    return " in use: " + Count.list(reasons, MAX_REASONS); // A75-14
  }

  private void visitLeaf(String name, WatchState<ClusterResource> known) {
    if (known.isUnresolved()) {
      unresolved.add("cluster \"" + name + "\"");
      return;
    }
    if (known.value().isEmpty()) {
      Code code = known.error().isAbsence() ? Code.NOT_FOUND : Code.UNAVAILABLE;
      String reason = ResolutionNotes.describe(ResourceType.CLUSTER, name, known.error());
      put(name, Outcome.failed(new RpcStatus(code, notes.failure(reason).message())));
      return;
    }
    ClusterResource resource = known.value().get();
    if (resource.source() instanceof ClusterSource.Eds eds) {
      byService.computeIfAbsent(eds.resourceName(), service -> new ArrayList<>(1)).add(name);
    }
    WatchState<EndpointSet> endpoints = endpoints(resource.source());
    if (endpoints.isUnresolved()) {
      unresolved.add("endpoints of cluster \"" + name + "\"");
      return;
    }
    put(name, leaf(resource, known, endpoints, notes));
  }

  static Outcome<ClusterConfig> leaf(
      ClusterResource resource,
      WatchState<ClusterResource> known,
      WatchState<EndpointSet> endpoints,
      ResolutionNotes notes) {
    Outcome<EndpointSet> usable =
        endpoints
            .value()
            .map(Outcome::ok)
            .orElseGet(() -> Outcome.failed(endpointFailure(resource.source(), endpoints)));
    return Outcome.ok(
        new ClusterConfig.Leaf(resource, usable, notes.note(known.ambient(), endpoints.ambient())));
  }

  private static RpcStatus endpointFailure(
      ClusterSource source, WatchState<EndpointSet> endpoints) {
    return source instanceof ClusterSource.Eds eds
        ? RpcStatus.unavailable(
            ResolutionNotes.describe(ResourceType.ENDPOINT, eds.resourceName(), endpoints.error()))
        : endpoints.error().forDataPlane(); // the error already names the host
  }

  private Outcome<ClusterConfig> failed(String reason) {
    return Outcome.failed(notes.failure(reason));
  }

  private WatchState<EndpointSet> endpoints(ClusterSource source) {
    if (source instanceof ClusterSource.Eds eds) {
      return lookup.endpoints().apply(eds.resourceName());
    }
    if (source instanceof ClusterSource.Dns host) {
      return lookup.hosts().apply(host);
    }
    throw new AssertionError(source);
  }

  private static boolean isAggregate(WatchState<ClusterResource> cluster) {
    return cluster
        .value()
        .filter(known -> known.source() instanceof ClusterSource.Aggregate)
        .isPresent();
  }

  /**
   * The leaves of one aggregate cluster in depth-first order. A leaf that occurs several times is
   * listed once, at its first position (A37).
   *
   * <p>Each aggregate has its own set of reached clusters. If all aggregates shared one set, an
   * aggregate would lack the leaves that an earlier aggregate has reached.
   */
  static final class Flattening {
    /** The first depth that is not allowed; the root cluster has depth 0 (A37, A75-11). */
    static final int MAX_DEPTH = 16;

    /** The names of the EDS and DNS clusters to which the root leads. */
    final List<String> leaves = new ArrayList<>();

    /** The names of all clusters to which the root leads, the root first. */
    final Set<String> reached = new LinkedHashSet<>();

    /** The clusters that do not exist or have failed, with the reason. */
    final Map<String, RpcStatus> failed = new LinkedHashMap<>();

    /** Whether a path from the root has {@link #MAX_DEPTH} steps, so that the root fails. */
    boolean tooDeep;

    private final Function<String, WatchState<ClusterResource>> clusters;

    Flattening(String root, Function<String, WatchState<ClusterResource>> clusters) {
      this.clusters = clusters;
      visit(root, 0);
    }

    private void visit(String name, int depth) {
      tooDeep |= depth == MAX_DEPTH;
      if (tooDeep || !reached.add(name)) {
        return; // too deep, reached twice (a diamond, its leaves are listed), or a loop (A75-09)
      }
      WatchState<ClusterResource> known = clusters.apply(name);
      if (known.value().isEmpty()) {
        if (!known.isUnresolved()) {
          failed.put(name, known.error());
        }
      } else if (known.value().get().source() instanceof ClusterSource.Aggregate aggregate) {
        aggregate.clusters().forEach(child -> visit(child, depth + 1));
      } else {
        leaves.add(name);
      }
    }
  }
}
