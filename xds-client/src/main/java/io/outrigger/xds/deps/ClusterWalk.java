package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.base.RpcStatus;
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
import java.util.stream.Collectors;

/**
 * The part of a graph walk that starts at the clusters of the routes: it visits each cluster and
 * the clusters and endpoints on which the cluster depends (A37, A74, A75). An instance serves one
 * walk.
 */
@ControlConfined
final class ClusterWalk {
  /**
   * The maximum number of reasons that the failure of an aggregate lists. For further reasons, the
   * failure contains only their number.
   */
  private static final int MAX_REASONS = 5;

  private final DependencyGraph.Lookup lookup;
  private final ResolutionNotes notes;
  private final Map<String, Outcome<ClusterConfig>> before;
  private final Map<String, Outcome<ClusterConfig>> clusters = new HashMap<>();
  private final Set<String> kept = new HashSet<>();
  private final Map<String, List<String>> byService = new HashMap<>();
  private final List<String> unresolved = new ArrayList<>();

  /**
   * @param before the results of the previous walk
   */
  ClusterWalk(
      DependencyGraph.Lookup lookup,
      ResolutionNotes notes,
      Map<String, Outcome<ClusterConfig>> before) {
    this.lookup = lookup;
    this.notes = notes;
    this.before = before;
  }

  /**
   * Returns the result of each visited cluster. The map is complete only when {@link #unresolved}
   * is empty.
   */
  Map<String, Outcome<ClusterConfig>> clusters() {
    return clusters;
  }

  /** Returns the names of the clusters whose result is copied from the previous walk. */
  Set<String> kept() {
    return kept;
  }

  Map<String, List<String>> byService() {
    return byService;
  }

  List<String> unresolved() {
    return unresolved;
  }

  void visitAll(Iterable<String> names) {
    names.forEach(this::visit);
  }

  /**
   * Visits clusters that calls still hold although no route names them (A31-06). An unresolved
   * resource of such a cluster does not delay the configuration: the cluster keeps its previous
   * result (A31-41).
   */
  void visitHeld(Iterable<String> names) {
    for (String name : names) {
      int open = unresolved.size();
      visit(name);
      if (unresolved.size() > open) {
        unresolved.subList(open, unresolved.size()).clear();
        keepAsItWas(name);
      }
    }
  }

  private void keepAsItWas(String name) {
    Outcome<ClusterConfig> last = before.get(name);
    if (last == null) {
      clusters.remove(name); // no configuration had this cluster
      return;
    }
    clusters.put(name, last);
    kept.add(name);
    if (last instanceof Outcome.Ok<ClusterConfig> ok
        && ok.value() instanceof ClusterConfig.Aggregate aggregate) {
      aggregate.leaves().stream()
          .filter(leaf -> !clusters.containsKey(leaf))
          .forEach(this::keepAsItWas);
    }
  }

  private void visit(String name) {
    if (clusters.containsKey(name)) {
      return;
    }
    WatchState<ClusterResource> known = lookup.cluster(name);
    if (known.value().map(ClusterWalk::isAggregate).orElse(false)) {
      visitAggregate(name, known);
    } else {
      visitLeaf(name, known);
    }
  }

  private void visitAggregate(String root, WatchState<ClusterResource> known) {
    Flattening tree = Flattening.of(root, lookup::cluster);
    put(root, aggregate(root, known, tree));
    if (tree.tooDeep()) {
      return; // the cluster fails in any case (A75-12) and stays watched
    }
    for (String name : tree.reached()) {
      if (clusters.containsKey(name)) {
        continue;
      }
      WatchState<ClusterResource> part = lookup.cluster(name);
      if (part.value().map(ClusterWalk::isAggregate).orElse(false)) {
        // The nested aggregate is flattened separately, because the set of seen clusters belongs to
        // one root. The nested aggregate reaches no cluster that the root does not reach.
        put(name, aggregate(name, part, Flattening.of(name, lookup::cluster)));
      } else {
        visitLeaf(name, part);
      }
    }
  }

  /** Stores a result. An equal result keeps its instance, so that comparing it later is cheap. */
  private void put(String name, Outcome<ClusterConfig> result) {
    Outcome<ClusterConfig> last = before.get(name);
    clusters.put(name, result.equals(last) ? last : result);
  }

  private Outcome<ClusterConfig> aggregate(
      String name, WatchState<ClusterResource> known, Flattening tree) {
    if (tree.tooDeep()) {
      return failed(
          "aggregate cluster \"%s\" is nested deeper than %d levels"
              .formatted(name, Flattening.MAX_DEPTH));
    }
    if (tree.leaves().isEmpty()) {
      return failed("aggregate cluster \"" + name + "\" has no leaf" + reasons(tree));
    }
    return Outcome.ok(
        new ClusterConfig.Aggregate(
            known.value().orElseThrow(),
            tree.leaves(), // without failed clusters (A75-13)
            notes.note(known.ambient(), RpcStatus.OK)));
  }

  private static String reasons(Flattening tree) {
    if (tree.failed().isEmpty()) {
      return ": it only leads to itself"; // A75-10
    }
    String listed =
        tree.failed().entrySet().stream()
            .limit(MAX_REASONS)
            .map(e -> ResolutionNotes.describe(ResourceType.CLUSTER, e.getKey(), e.getValue()))
            .collect(Collectors.joining(", "));
    int rest = tree.failed().size() - MAX_REASONS;
    return " in use: " + listed + (rest > 0 ? " and " + rest + " more" : ""); // A75-14
  }

  private void visitLeaf(String name, WatchState<ClusterResource> known) {
    if (known.isUnresolved()) {
      unresolved.add("cluster \"" + name + "\"");
      return;
    }
    if (known.value().isEmpty()) {
      put(name, failed(ResolutionNotes.describe(ResourceType.CLUSTER, name, known.error())));
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
      return lookup.endpoints(eds.resourceName());
    }
    if (source instanceof ClusterSource.Dns host) {
      return lookup.host(host);
    }
    throw new AssertionError(source);
  }

  private static boolean isAggregate(ClusterResource cluster) {
    return cluster.source() instanceof ClusterSource.Aggregate;
  }

  /**
   * The leaves of one aggregate cluster in depth-first order. A leaf that occurs several times is
   * listed once, at its first position (A37).
   *
   * <p>The set of visited clusters belongs to one root. With this set, the walk ends at loops and
   * lists the leaves of diamonds once. A set that is shared by several roots would make the lists
   * of leaves incomplete.
   *
   * @param leaves the names of the EDS and LOGICAL_DNS clusters
   * @param reached the names of all clusters in the tree in the order of the walk, the root first
   * @param failed the names of the clusters that do not exist or failed, with the reason
   * @param tooDeep whether a path of the tree is longer than the limit, so that the root fails
   */
  record Flattening(
      List<String> leaves, Set<String> reached, Map<String, RpcStatus> failed, boolean tooDeep) {
    /** The depth at which a cluster is an error; the root has depth 0 (A37, A75-11). */
    static final int MAX_DEPTH = 16;

    /** Flattens the tree of {@code root}, and looks up each name once in {@code clusters}. */
    static Flattening of(String root, Function<String, WatchState<ClusterResource>> clusters) {
      var walk = new Walk(clusters);
      walk.visit(root, 0);
      return new Flattening(walk.leaves, walk.seen, walk.failed, walk.tooDeep);
    }

    private static final class Walk {
      private final Function<String, WatchState<ClusterResource>> clusters;
      private final List<String> leaves = new ArrayList<>();
      private final Set<String> seen = new LinkedHashSet<>();
      private final Map<String, RpcStatus> failed = new LinkedHashMap<>();
      private boolean tooDeep;

      Walk(Function<String, WatchState<ClusterResource>> clusters) {
        this.clusters = clusters;
      }

      void visit(String name, int depth) {
        if (depth == MAX_DEPTH) {
          tooDeep = true;
          return;
        }
        if (!seen.add(name)) {
          return; // a diamond, whose leaves are listed already, or a loop (A75-09)
        }
        WatchState<ClusterResource> known = clusters.apply(name);
        if (known.value().isPresent()) {
          visit(known.value().get(), name, depth);
        } else if (!known.isUnresolved()) {
          failed.put(name, known.error());
        }
      }

      private void visit(ClusterResource cluster, String name, int depth) {
        if (cluster.source() instanceof ClusterSource.Aggregate aggregate) {
          for (String child : aggregate.clusters()) {
            visit(child, depth + 1);
          }
        } else {
          leaves.add(name);
        }
      }
    }
  }
}
