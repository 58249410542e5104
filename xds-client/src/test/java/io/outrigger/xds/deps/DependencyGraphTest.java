package io.outrigger.xds.deps;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Resources;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a change of endpoints needs a walk: what is published does not tell. */
class DependencyGraphTest {
  private static final int LAYERS = 12;
  private static final int WIDTH = 20;

  private final Map<String, WatchState<EndpointSet>> endpoints = new HashMap<>();
  private final Map<String, WatchState<ClusterResource>> clusters = new HashMap<>();
  private final AtomicInteger lookups = new AtomicInteger();

  /** The listener routes to the EDS clusters a and b. */
  private final DependencyGraph.Lookup known =
      new DependencyGraph.Lookup(
          () ->
              WatchState.of(
                  Outcome.ok(Resources.listener("orders", Resources.routes("r", "a", "b")))),
          name -> {
            throw new AssertionError("the routes are inline");
          },
          name -> {
            lookups.incrementAndGet();
            return Objects.requireNonNull(clusters.get(name));
          },
          endpoints::get,
          host -> {
            throw new AssertionError(host);
          });

  private final DependencyGraph graph = new DependencyGraph("orders", "orders", "node-1", known);

  @BeforeEach
  void walk() {
    set(Resources.eds("a"));
    set(Resources.eds("b"));
    endpoints("a", "10.0.0.1");
    endpoints("b", "10.0.0.2");
    assertThat(graph.resolve(Set.of()).waitingFor()).isEmpty();
  }

  @Test
  void otherEndpointsNeedNoWalk() {
    endpoints("a", "10.0.0.9");

    Map<String, Outcome<ClusterConfig>> changed = graph.update(Set.of("a", "b")).orElseThrow();

    assertThat(changed).containsOnlyKeys("a");
    assertThat(Mesh.ips((ClusterConfig.Leaf) changed.get("a").toOptional().orElseThrow()))
        .containsExactly("10.0.0.9");
  }

  @Test
  void endpointsThatNoClusterUsesChangeNothing() {
    endpoints("c", "10.0.0.3");

    assertThat(graph.update(Set.of("c"))).contains(Map.of());
  }

  @Test
  void endpointsThatAreNotKnownNeedAWalk() {
    endpoints.put("a", WatchState.unresolved());

    assertThat(graph.update(Set.of("a"))).isEqualTo(Optional.empty());
  }

  @Conformance("A75-06")
  @Test
  void aWalkLooksUpEachClusterOfDenseLayersAFewTimes() {
    set(Resources.aggregate("a", layer(0)));
    for (int i = 0; i < LAYERS; i++) {
      for (String name : layer(i)) {
        set(Resources.aggregate(name, i == LAYERS - 1 ? new String[] {"b"} : layer(i + 1)));
      }
    }
    lookups.set(0);

    graph.resolve(Set.of());

    assertThat(lookups.get()).isBetween(LAYERS * WIDTH, 4 * LAYERS * WIDTH);
  }

  private static String[] layer(int number) {
    return IntStream.range(0, WIDTH).mapToObj(i -> number + "-" + i).toArray(String[]::new);
  }

  private void set(ClusterResource cluster) {
    clusters.put(cluster.name(), WatchState.of(Outcome.ok(cluster)));
  }

  private void endpoints(String service, String ip) {
    endpoints.put(service, WatchState.of(Outcome.ok(Resources.endpoints(service, ip))));
  }
}
