package io.outrigger.lb.tree;

import static io.outrigger.config.endpoint.HealthStatus.DRAINING;
import static io.outrigger.config.endpoint.HealthStatus.HEALTHY;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.endpoint.Reach;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.testing.Samples;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterBackendsTest {
  @Test
  void ofManyEndpointsOnlyTheNewOnesAreMade() {
    List<Endpoint> many = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      many.add(endpoint(i, HEALTHY));
    }
    ClusterBackends before = after(ClusterBackends.NONE, many, Reach.PLAIN);
    Set<Backend> known = Collections.newSetFromMap(new IdentityHashMap<>());
    known.addAll(usable(before));

    many.add(3_000, endpoint(10_000, HEALTHY));
    ClusterBackends after = after(before, many, Reach.PLAIN);

    assertThat(usable(after)).hasSize(10_001);
    assertThat(usable(after).stream().filter(backend -> !known.contains(backend)))
        .containsExactly(backend(many.get(3_000)));
  }

  /** Whatever came before, the result is that of a start from nothing. */
  @Test
  void nothingOfWhatWasBeforeShows() {
    for (long seed = 0; seed < 200; seed++) {
      var random = new Random(seed);
      ClusterBackends kept = ClusterBackends.NONE;
      for (int step = 0; step < 10; step++) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = random.nextInt(8); i > 0; i--) {
          endpoints.add(endpoint(random.nextInt(10), random.nextInt(4) == 0 ? DRAINING : HEALTHY));
        }
        Reach reach =
            new Reach(
                random.nextInt(5) == 0,
                random.nextInt(5) == 0
                    ? Optional.of(
                        new UpstreamTls(
                            Optional.empty(),
                            new TrustSource.SystemRoots(),
                            List.of(),
                            "",
                            false,
                            false))
                    : Optional.empty());
        kept = after(kept, endpoints, reach);

        assertThat(kept)
            .as("seed %d, step %d", seed, step)
            .isEqualTo(after(ClusterBackends.NONE, endpoints, reach));
        assertThat(usable(kept))
            .containsExactlyElementsOf(
                endpoints.stream()
                    .filter(endpoint -> endpoint.health() == HEALTHY)
                    .map(endpoint -> backend(reach.of(endpoint)))
                    .toList());
        assertThat(kept.unusable(backend -> true))
            .containsExactlyElementsOf(
                endpoints.stream()
                    .filter(endpoint -> endpoint.health() == DRAINING)
                    .map(endpoint -> backend(reach.of(endpoint)))
                    .toList());
      }
    }
  }

  private static ClusterBackends after(
      ClusterBackends before, List<Endpoint> endpoints, Reach reach) {
    EndpointSet set =
        Samples.priorities(new LocalityEndpoints(Samples.locality("z"), 1, endpoints));
    return before.after(set, reach);
  }

  private static List<Backend> usable(ClusterBackends backends) {
    return backends.priorities().get(0).get(0).usable();
  }

  private static Backend backend(Endpoint endpoint) {
    return new Backend(endpoint, Samples.locality("z"), 0);
  }

  /** Every third stands behind a proxy. */
  private static Endpoint endpoint(int number, HealthStatus health) {
    var address = Samples.address("10.0.%d.%d:80".formatted(number >> 8, number & 255));
    var reached = number % 3 == 0 ? address.through(Samples.address("10.9.9.9:3128")) : address;
    return new Endpoint(List.of(reached), health, 1, "");
  }
}
