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
 * Remembers each cluster's result of the walk before, so that a cluster whose inputs are the same
 * instances keeps its result, and an equal result keeps its instance. With many clusters and one
 * changed, comparing two configurations is then a matter of identities.
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
    /** Whether the inputs are the same instances: equal ones are new only after an update. */
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(WatchState<ClusterResource> c, WatchState<EndpointSet> e, ResolutionNotes n) {
      return cluster == c && endpoints == e && notes == n;
    }
  }

  /** The result of a cluster that depends on these inputs alone. */
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

  /** The result of a cluster that depends on others too: computed each time. */
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

  /** The new result of a cluster whose endpoints alone have changed since the last walk. */
  Outcome<ClusterConfig> update(
      String name, WatchState<EndpointSet> endpoints, Supplier<Outcome<ClusterConfig>> compute) {
    Entry known = Objects.requireNonNull(before.get(name), name);
    Outcome<ClusterConfig> result = sameIfEqual(known, compute.get());
    before.put(name, new Entry(known.cluster(), endpoints, known.notes(), result));
    return result;
  }

  /** Whether the last walk's result of a cluster was made of {@code cluster}. */
  @SuppressWarnings("ReferenceEquality") // as inputs are compared
  boolean isOf(String name, WatchState<ClusterResource> cluster) {
    Entry known = before.get(name);
    return known != null && known.cluster() == cluster;
  }

  /** The result of a cluster that the last walk visited. */
  Outcome<ClusterConfig> result(String name) {
    return Objects.requireNonNull(before.get(name), name).result();
  }

  /** The result of the walk before, for this one too; empty when it had none. */
  Optional<Outcome<ClusterConfig>> keep(String name) {
    Entry known = before.get(name);
    if (known == null) {
      now.remove(name);
      return Optional.empty();
    }
    now.put(name, known);
    return Optional.of(known.result());
  }

  /** Ends a walk: what it did not visit is forgotten. */
  void turn() {
    Map<String, Entry> spare = before;
    before = now;
    spare.clear();
    now = spare;
  }

  private static Outcome<ClusterConfig> sameIfEqual(
      @Nullable Entry known, Outcome<ClusterConfig> result) {
    return known != null && known.result().equals(result) ? known.result() : result;
  }
}
