package io.outrigger.xds.deps;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.Outcome;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.xds.testing.Resources;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one change costs where much is known: counted, not timed. */
class LargeMeshTest {
  private static final int COUNT = 10_000;

  private final Mesh mesh = Mesh.started();

  @Test
  void oneChangedClusterOfTenThousandIsTheOnlyNewPartOfTheConfiguration() {
    serveAll();
    Map<String, Outcome<ClusterConfig>> before = mesh.config().clusters();
    int published = mesh.published.size();

    mesh.set(Resources.endpoints("c77", "10.9.9.9"));

    Map<String, Outcome<ClusterConfig>> after = mesh.config().clusters();
    assertThat(mesh.published).hasSize(published + 1);
    assertThat(after).hasSize(COUNT);
    assertThat(after.keySet().stream().filter(name -> after.get(name) != before.get(name)))
        .containsExactly("c77");
    assertThat(mesh.ips("c77")).containsExactly("10.9.9.9");
  }

  @Test
  void aResourceThatComesAgainUnchangedPublishesNothing() {
    serveAll();
    int published = mesh.published.size();

    mesh.set(Resources.endpoints("c77", "10.0.0.1"));

    assertThat(mesh.published).hasSize(published);
  }

  private void serveAll() {
    String[] names = IntStream.range(0, COUNT).mapToObj(i -> "c" + i).toArray(String[]::new);
    mesh.loop.inside(
        () -> {
          for (String name : names) {
            mesh.client.set(CLUSTER, name, Resources.eds(name));
            mesh.client.set(ENDPOINT, name, Resources.endpoints(name, "10.0.0.1"));
          }
        });
    mesh.set(Resources.routes("r1", names));
    mesh.set(Resources.listener("orders", "r1"));
  }
}
