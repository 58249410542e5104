package io.outrigger.xds.deps;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Outcome;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the result of each cluster from the previous walk. A cluster whose inputs are the same
 * instances keeps its result, and an equal result keeps its instance. When one of many clusters
 * changes, two configurations are therefore compared mostly by identity.
 */
@ControlConfined
final class ClusterMemo {
  private Map<String, Entry> before = new HashMap<>();
  private Map<String, Entry> now = new HashMap<>();

  private record Entry(
      WatchState<ClusterResource> cluster,
      WatchState<EndpointSet> endpoints,
      ResolutionNotes notes,
      Outcome<ClusterConfig> result) {
    /**
     * Whether the inputs of a result are the same instances as before. Only an update of a resource
     * creates new instances.
     */
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(WatchState<ClusterResource> c, WatchState<EndpointSet> e, ResolutionNotes n) {
      return cluster == c && endpoints == e && notes == n;
    }
  }

  /**
   * Returns the result of a cluster that depends on these inputs alone; computes the result only
   * when an input has changed.
   */
  Outcome<ClusterConfig> remember(
      String name,
      WatchState<ClusterResource> cluster,
      WatchState<EndpointSet> endpoints,
      ResolutionNotes notes,
      Supplier<Outcome<ClusterConfig>> compute) {
    Entry known = before.get(name);
    if (known == null || !known.isOf(cluster, endpoints, notes)) {
      known = new Entry(cluster, endpoints, notes, sameIfEqual(known, compute.get()));
    }
    now.put(name, known);
    return known.result();
  }

  /**
   * Remembers the result of a cluster that also depends on other clusters; the caller computes such
   * a result on each walk.
   */
  Outcome<ClusterConfig> remember(
      String name,
      WatchState<ClusterResource> cluster,
      ResolutionNotes notes,
      Outcome<ClusterConfig> result) {
    var entry =
        new Entry(cluster, WatchState.nothing(), notes, sameIfEqual(before.get(name), result));
    now.put(name, entry);
    return entry.result();
  }

  /**
   * Computes the new result of a cluster of which only the endpoints have changed since the last
   * walk.
   */
  Outcome<ClusterConfig> update(
      String name, WatchState<EndpointSet> endpoints, Supplier<Outcome<ClusterConfig>> compute) {
    Entry known = Objects.requireNonNull(before.get(name), name);
    Outcome<ClusterConfig> result = sameIfEqual(known, compute.get());
    before.put(name, new Entry(known.cluster(), endpoints, known.notes(), result));
    return result;
  }

  /** Whether the last walk computed the cluster's result from {@code cluster}. */
  @SuppressWarnings("ReferenceEquality") // inputs are compared by identity
  boolean isOf(String name, WatchState<ClusterResource> cluster) {
    Entry known = before.get(name);
    return known != null && known.cluster() == cluster;
  }

  /** Returns the result of a cluster that the last walk visited. */
  Outcome<ClusterConfig> result(String name) {
    return Objects.requireNonNull(before.get(name), name).result();
  }

  /**
   * Keeps and returns the result of the previous walk; empty when the previous walk had no result.
   */
  Optional<Outcome<ClusterConfig>> keep(String name) {
    Entry known = before.get(name);
    if (known == null) {
      now.remove(name);
      return Optional.empty();
    }
    now.put(name, known);
    return Optional.of(known.result());
  }

  /** Ends a walk and forgets the clusters that the walk did not visit. */
  void turn() {
    Map<String, Entry> emptied = before;
    before = now;
    emptied.clear();
    now = emptied;
  }

  private static Outcome<ClusterConfig> sameIfEqual(
      @Nullable Entry known, Outcome<ClusterConfig> result) {
    return known != null && known.result().equals(result) ? known.result() : result;
  }
}
