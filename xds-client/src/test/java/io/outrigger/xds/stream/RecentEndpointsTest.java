package io.outrigger.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.xds.stream.IncrementalDecoder.RecentEndpoints;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentEndpointsTest {
  private final RecentEndpoints recent = new RecentEndpoints();

  @Test
  void aLargeSetSharesWhatItHasInCommonWithTheOneReadBefore() {
    EndpointSet before = recent.sharing("pay", set(200));

    EndpointSet more = recent.sharing("pay", set(201));

    assertThat(more).isEqualTo(set(201));
    for (int i = 0; i < 200; i++) {
      assertThat(endpoint(more, i)).isSameAs(endpoint(before, i));
    }
    assertThat(recent.sharing("pay", set(201))).isSameAs(more);
  }

  @Test
  void setsOfOtherNamesAndSmallOnesAreNotCompared() {
    EndpointSet before = recent.sharing("pay", set(200));
    assertThat(endpoint(recent.sharing("cart", set(200)), 0)).isNotSameAs(endpoint(before, 0));

    EndpointSet small = recent.sharing("small", set(5));
    assertThat(recent.sharing("small", set(5))).isEqualTo(small).isNotSameAs(small);
  }

  private static Endpoint endpoint(EndpointSet set, int index) {
    return set.priorities().get(0).get(0).endpoints().get(index);
  }

  private static EndpointSet set(int endpoints) {
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
    var locality = new LocalityEndpoints(new Locality("r", "z", ""), 1, all);
    return new EndpointSet("pay", List.of(List.of(locality)), List.of());
  }

  @Test
  void aHundredEndpointsAreLarge() {
    EndpointSet large = recent.sharing("large", set(100));
    EndpointSet small = recent.sharing("small", set(99));

    assertThat(recent.sharing("large", set(100))).isSameAs(large);
    assertThat(recent.sharing("small", set(99))).isNotSameAs(small);
  }

  @Test
  void aNameIsRememberedThoughOthersFollow() {
    EndpointSet before = recent.sharing("pay", set(200));

    recent.sharing("cart", set(200));

    assertThat(recent.sharing("pay", set(200))).isSameAs(before);
  }

  @Test
  void aNameWhoseSetNobodyUsesIsForgottenWithTheNextNewOne() {
    var unused = new WeakReference<>(recent.sharing("pay", set(200)));
    while (!unused.refersTo(null)) {
      System.gc();
    }

    recent.sharing("cart", set(200));

    assertThat(recent.count()).isEqualTo(1);
  }
}
