package io.outrigger.config.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EndpointSetTest {
  @Test
  void whatIsEqualIsSharedAndWhatIsNewIsNot() {
    EndpointSet before = set(localities("a", 3), localities("b", 3));
    EndpointSet next = set(localities("a", 3), localities("b", 4));

    EndpointSet shared = next.sharing(before);

    assertThat(shared).isEqualTo(next);
    assertThat(shared.priorities().get(0).get(0)).isSameAs(before.priorities().get(0).get(0));
    List<Endpoint> grown = shared.priorities().get(1).get(0).endpoints();
    List<Endpoint> known = before.priorities().get(1).get(0).endpoints();
    for (int i = 0; i < 3; i++) {
      assertThat(grown.get(i)).isSameAs(known.get(i));
    }
    assertThat(grown).hasSize(4);
  }

  @Test
  void anEqualSetIsTheOneBefore() {
    EndpointSet before = set(localities("a", 3));

    assertThat(set(localities("a", 3)).sharing(before)).isSameAs(before);
    assertThat(set().sharing(before)).isEqualTo(set());
  }

  @Test
  void aLocalityThatMovedIsSharedWhereItStandsNow() {
    EndpointSet before = set(localities("a", 2), localities("b", 2));

    EndpointSet shared = set(localities("b", 2), localities("a", 2)).sharing(before);

    assertThat(shared.priorities().get(0).get(0)).isSameAs(before.priorities().get(1).get(0));
    assertThat(shared).isNotEqualTo(before);
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static EndpointSet set(List<LocalityEndpoints>... priorities) {
    return new EndpointSet("pay", List.of(priorities), List.of());
  }

  private static List<LocalityEndpoints> localities(String zone, int endpoints) {
    List<Endpoint> all =
        IntStream.range(0, endpoints)
            .mapToObj(
                i ->
                    new Endpoint(
                        List.of(new EndpointAddress("10.0.0." + i, 80)),
                        HealthStatus.HEALTHY,
                        1,
                        ""))
            .toList();
    return List.of(new LocalityEndpoints(new Locality("r", zone, ""), 1, all));
  }
}
