package io.outrigger.lb.override;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.override.Ownership.Event;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AddressMapTest {
  private static final String E1 = "10.0.0.1:80";

  private final FakeParent parent = new FakeParent();
  private final AddressMap table = new AddressMap(parent.loop(), parent, changed -> {});

  @BeforeEach
  void anEndpoint() {
    update(Samples.address(E1));
  }

  /** The control loop is not to be told by each of a thousand calls. */
  @Test
  void ofManyWhoAskForAHostOneIsHeardUntilTheAnswer() {
    assertThat(entry().markRequested()).isTrue();
    assertThat(entry().markRequested()).isFalse();

    entry().clearRequest();

    assertThat(entry().markRequested()).isTrue();
  }

  /** A86: a connection through one proxy is never used for another. */
  @Test
  void behindAnotherProxyAHostIsAnother() {
    AddressEntry before = entry();
    parent.loop().inside(() -> before.on(Event.REQUESTED, true));
    parent.ready(E1);

    update(Samples.address(E1).through(Samples.address("10.7.7.7:3128")));

    assertThat(entry()).isNotSameAs(before);
    assertThat(table.contains(before)).isFalse();
    assertThat(parent.connector().last(E1).isGivenUp()).isTrue();
  }

  /** The endpoint is the same: only the statuses that sessions may reach are others. */
  @Conformance({"A55-14", "A75-33"})
  @Test
  void otherStatusesCountForEndpointsThatStay() {
    parent.loop().inside(() -> entry().on(Event.REQUESTED, true));
    assertThat(entry().isReachable()).isTrue();

    update(Samples.address(E1), HealthStatus.DRAINING);
    assertThat(entry().isReachable()).isFalse();
    assertThat(parent.connector().last(E1).isGivenUp()).as("kept for sessions alone").isTrue();

    update(Samples.address(E1), HealthStatus.HEALTHY);
    assertThat(entry().isReachable()).isTrue();
  }

  private AddressEntry entry() {
    return Objects.requireNonNull(table.get(Samples.address(E1)));
  }

  private void update(EndpointAddress address) {
    update(address, HealthStatus.HEALTHY);
  }

  private void update(EndpointAddress address, HealthStatus reachable) {
    var endpoint = new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, "");
    parent
        .loop()
        .inside(
            () ->
                table.update(
                    List.of(new Backend(endpoint, Samples.locality("z"), 0)),
                    Set.of(reachable),
                    Duration.ofMinutes(1)));
  }
}
