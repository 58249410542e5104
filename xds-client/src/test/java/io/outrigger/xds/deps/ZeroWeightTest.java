package io.outrigger.xds.deps;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.testing.Resources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cluster that a route names with weight 0: no call gets it, and it is there all the same. */
class ZeroWeightTest {
  @Conformance("A31-35")
  @Test
  void aClusterOfWeightZeroIsWatchedAndServed() {
    Mesh mesh = Mesh.started();
    mesh.set(
        Resources.listener(
            "orders",
            Resources.weightedRoutes(
                "r",
                List.of(
                    new WeightedCluster("zero", 0, Map.of()),
                    new WeightedCluster("a", 1, Map.of())))));

    assertThat(mesh.watched(CLUSTER)).containsExactlyInAnyOrder("zero", "a");
    mesh.set(Resources.eds("a"));
    mesh.set(Resources.endpoints("a", "10.0.0.1"));
    assertThat(mesh.published).as("it is waited for").isEmpty();
    mesh.set(Resources.eds("zero"));
    mesh.set(Resources.endpoints("zero", "10.0.0.2"));

    assertThat(mesh.config().routedClusters()).containsExactlyInAnyOrder("zero", "a");
    assertThat(mesh.ips("zero")).containsExactly("10.0.0.2");
  }
}
