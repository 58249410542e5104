package io.outrigger.config.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TransportSettingsTest {
  private static final EndpointAddress PROXY = new EndpointAddress("10.9.9.9", 3128);
  private static final EndpointAddress DIRECT = new EndpointAddress("10.0.0.1", 80);
  private static final UpstreamTls BY_HOST =
      new UpstreamTls(
          Optional.empty(), new TrustSource.SystemRoots(), List.of(), "fallback.mesh", true, false);

  private static Endpoint endpoint(EndpointAddress... addresses) {
    return new Endpoint(List.of(addresses), HealthStatus.HEALTHY, 7, "pay.mesh:443", "key");
  }

  private static Endpoint reached(boolean httpConnect, Optional<UpstreamTls> tls) {
    return new TransportSettings(httpConnect, tls).applyTo(endpoint(DIRECT.through(PROXY), DIRECT));
  }

  @Test
  void whatIsAsItWasDecodedIsTheSameObject() {
    Endpoint direct = endpoint(DIRECT);
    Endpoint proxied = endpoint(DIRECT.through(PROXY));

    assertThat(TransportSettings.PLAIN.applyTo(direct)).isSameAs(direct);
    assertThat(new TransportSettings(true, Optional.empty()).applyTo(proxied)).isSameAs(proxied);
  }

  @Test
  void proxiesAreLeftOutUnlessTheClusterAsksForThem() {
    assertThat(reached(false, Optional.empty()).addresses()).containsExactly(DIRECT, DIRECT);
  }

  @Conformance("A101-01")
  @Test
  void tlsIsSaidOfEachAddressWithTheServerNameOfTheEndpoint() {
    Endpoint reached = reached(true, Optional.of(BY_HOST));

    assertThat(reached.addresses())
        .extracting(EndpointAddress::tls)
        .containsOnly(Optional.of(new EndpointTls(BY_HOST, Optional.of("pay.mesh"))));
    assertThat(reached.addresses())
        .extracting(EndpointAddress::proxy)
        .containsExactly(Optional.of(PROXY), Optional.empty());
    assertThat(reached.weight()).isEqualTo(7);
    assertThat(reached.hashKey()).isEqualTo("key");
  }

  @Conformance("A29-19")
  @Test
  void addressesThatAreReachedInAnotherWayAreOthers() {
    EndpointAddress secured = reached(false, Optional.of(BY_HOST)).address();

    assertThat(secured).isNotEqualTo(DIRECT).hasToString("10.0.0.1:80");
    assertThat(secured.bare()).isEqualTo(DIRECT);
    assertThat(
            reached(
                    false,
                    Optional.of(
                        new UpstreamTls(
                            Optional.empty(),
                            new TrustSource.SystemRoots(),
                            List.of(),
                            "",
                            false,
                            false)))
                .address())
        .isNotEqualTo(secured);
  }
}
