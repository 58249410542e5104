package io.outrigger.endtoend;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A random subset (A68) of real backends: the event loops of a sidecar share one. */
@Timeout(600)
class SubsetIT {
  private static final int SIZE = 3;

  private final Mesh mesh = new Mesh();
  private final List<Backend> backends =
      IntStream.range(0, 12).mapToObj(i -> mesh.backend("b" + i).quiet()).toList();

  @AfterEach
  void close() {
    mesh.close();
  }

  @Conformance({"A68-01", "A68-02", "A68-03"})
  @Test
  void onlyMembersAreConnectedAndOneThatLeavesIsReplacedByAnother() throws Exception {
    serve(backends);
    mesh.startReady();
    List<Load> loads = mesh.loads("test.Pay/Charge", 100);
    Await.until("three are connected by every loop", () -> connected().size() == SIZE);
    Set<Backend> first = connected();
    first.forEach(member -> awaitMore(loads, member));
    assertThat(mesh.admin().get("/lb").body())
        .contains("\"random_subsetting\"", "\"subset_size\": 3", "3 of 12 endpoints");

    Backend gone = first.iterator().next();
    List<Backend> left = backends.stream().filter(Predicate.not(gone::equals)).toList();
    serve(left);
    Await.until(
        "another takes its place", () -> connected().size() == SIZE && !connected().contains(gone));
    Set<Backend> second = connected();
    second.forEach(member -> awaitMore(loads, member));
    serve(left);
    second.forEach(member -> awaitMore(loads, member));
    loads.forEach(Load::close);

    assertThat(second).doesNotContain(gone);
    Set<Backend> stayed = new HashSet<>(first);
    stayed.retainAll(second);
    assertThat(stayed).hasSize(SIZE - 1);
    assertThat(stayed).allMatch(member -> member.connections() == mesh.loops);
    Set<Backend> ever = new HashSet<>(first);
    ever.addAll(second);
    assertThat(backends).filteredOn(each -> each.connections() > 0).hasSameElementsAs(ever);
    assertThat(loads).allSatisfy(load -> assertThat(load.failures()).isEmpty());
  }

  private static void awaitMore(List<Load> loads, Backend member) {
    loads.forEach(load -> load.awaitMore(member.name(), 3));
  }

  /** Those to which every loop has a connection. */
  private Set<Backend> connected() {
    return backends.stream().filter(each -> each.openConnections() == mesh.loops).collect(toSet());
  }

  private void serve(List<Backend> serving) {
    String cluster = Xds.cluster("A");
    mesh.controlPlane.serve(
        cluster.substring(0, cluster.lastIndexOf('}'))
            + """
            ,"load_balancing_policy":{"policies":[{"typed_extension_config":{"name":"subset",
              "typed_config":{"@type":"type.googleapis.com/xds.type.v3.TypedStruct",
                "type_url":"type.googleapis.com/random_subsetting_experimental",
                "value":{"subsetSize":%d,"childPolicy":[{"round_robin":{}}]}}}}]}}"""
                .formatted(SIZE),
        Xds.endpoints("A", serving.toArray(Backend[]::new)),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
  }
}
