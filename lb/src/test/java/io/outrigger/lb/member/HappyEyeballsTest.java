package io.outrigger.lb.member;

import static io.outrigger.lb.state.Connectivity.CONNECTING;
import static io.outrigger.lb.state.Connectivity.IDLE;
import static io.outrigger.lb.state.Connectivity.READY;
import static io.outrigger.lb.state.Connectivity.TRANSIENT_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.TrustSource.SystemRoots;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.lb.DelegatingSubchannel;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.Picker;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.Transport;
import io.outrigger.lb.Transport.BackendMetricsStream;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.state.TransportSecurity;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code PickFirstPolicyTest} does not come to. */
class HappyEyeballsTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";
  private static final long NO_JITTER = 1L << 19;

  private final FakeParent parent = new FakeParent();
  private int changes;
  private final HappyEyeballs addresses =
      new HappyEyeballs(parent.loop(), new Noting(), () -> changes++);
  private final List<Backend> taken = new ArrayList<>();

  /** Notes what subchannels are told of their endpoints. */
  private final class Noting implements LbParent {
    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, Subchannel.Listener listener) {
      Subchannel subchannel = parent.newSubchannel(backend, address, listener);
      return new DelegatingSubchannel(subchannel) {
        @Override
        public void update(Backend next) {
          taken.add(next);
        }
      };
    }

    @Override
    public void publish(Connectivity state, Picker picker) {}

    @Override
    public void requestReresolution() {
      parent.requestReresolution();
    }
  }

  @Conformance("A61-02")
  @Test
  void theNextAddressHasItsQuarterOfASecondThoughTheOneBeforeFailedEarly() {
    connect(E1, E2, E3);
    parent.advance(Duration.ofMillis(200));
    parent.end(E1);
    assertThat(open()).containsExactly(E2);

    parent.advance(Duration.ofMillis(249));
    assertThat(open()).containsExactly(E2);
    parent.advance(Duration.ofMillis(1));
    assertThat(open()).containsExactly(E2, E3);
    assertThat(parent.loop().pendingTimers()).as("there is no next").isEqualTo(1); // E1's back-off
  }

  @Conformance("A61-02")
  @Test
  void aFailureIsReportedOnlyWhenNoAttemptIsUnderWayAnyMore() {
    connect(E1, E2);
    parent.advance(Duration.ofMillis(250));

    parent.end(E2);
    assertThat(addresses.state()).isEqualTo(CONNECTING);
    parent.end(E1);
    assertThat(addresses.state()).isEqualTo(TRANSIENT_FAILURE);
  }

  @Conformance("A61-02")
  @Test
  void aFailureInAnEarlierPassCountsForNothing() {
    connect(E1, E2);
    parent.end(E1, E2);
    parent.advance(Duration.ofSeconds(2));
    parent.ready(E1);
    parent.end(E1);
    parent.loop().inside(addresses::connect);
    parent.advance(Duration.ofMillis(250));

    parent.end(E2);

    assertThat(open()).containsExactly(E1);
    assertThat(addresses.state()).isEqualTo(CONNECTING);
  }

  /** Otherwise the pass would never end, and no address would be tried again. */
  @Conformance("A61-03")
  @Test
  void anAddressInItsBackOffCountsAsTriedInThePassOverANewList() {
    connect(E1, E2);
    parent.end(E1, E2);
    parent.loop().inside(() -> addresses.update(Samples.backends(E1, E2, E3)));
    assertThat(open()).containsExactly(E3);

    parent.end(E3);
    parent.advance(Duration.ofSeconds(2));

    assertThat(open()).containsExactlyInAnyOrder(E1, E2, E3);
  }

  /** Those who fail calls with it hear of each. */
  @Test
  void theLastErrorIsThatOfTheLastFailureAfterThePassToo() {
    parent.random().next(Purpose.BACKOFF_JITTER, NO_JITTER);
    connect(E1);
    parent.end(E1);
    parent.advance(Duration.ofSeconds(1));
    changes = 0;

    parent.loop().inside(() -> parent.connector().last(E1).end("no route"));

    assertThat(addresses.lastError().message()).isEqualTo(E1 + ": no route");
    assertThat(changes).isEqualTo(1);
  }

  @Conformance("A61-02")
  @Test
  void whatIsLeftOfTheLongerFamilyComesLast() {
    connect("[::1]:80", E1, E2, E3);

    parent.advance(Duration.ofSeconds(1));

    assertThat(open()).containsExactly("[::1]:80", E1, E2, E3);
  }

  @Test
  void theConnectionHearsWhereItsEndpointStands() {
    connect(E1);
    var moved = new Backend(Samples.endpoint(E1), Samples.locality("elsewhere"), 0);

    parent.loop().inside(() -> addresses.update(List.of(moved)));
    parent.loop().inside(() -> addresses.update(List.of(moved)));

    assertThat(taken).containsExactly(moved);
  }

  @Test
  void viewsShowWhichEndpointIsTriedAndWhichIsChosen() {
    List<Backend> backends = Samples.backends(E1, E2, E3);
    parent.loop().inside(() -> addresses.update(backends));
    assertThat(addresses.describe(backends))
        .containsExactlyElementsOf(backends.stream().map(LbEndpoint::unconnected).toList());

    parent.loop().inside(addresses::connect);
    parent.advance(Duration.ofMillis(250));
    assertThat(addresses.describe(backends))
        .extracting(LbEndpoint::state)
        .containsExactly(CONNECTING, CONNECTING, IDLE);

    parent.ready(E2);
    assertThat(addresses.describe(backends))
        .extracting(LbEndpoint::state)
        .containsExactly(IDLE, READY, IDLE);
  }

  @Test
  void viewsShowTheTlsOfTheConnection() {
    var tls =
        new EndpointTls(
            new UpstreamTls(Optional.empty(), new SystemRoots(), List.of(), "", false, false),
            Optional.empty());
    var address = new EndpointAddress("10.0.0.1", 80, Optional.empty(), Optional.of(tls));
    var backend =
        new Backend(
            new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, ""), Samples.locality("z"), 0);
    var security = new TransportSecurity("TLSv1.3", "cipher", "peer", Instant.EPOCH);
    parent.loop().inside(() -> addresses.update(List.of(backend)));
    parent.loop().inside(addresses::connect);
    assertThat(addresses.describe(backend).link().tls()).isEmpty();

    parent.loop().inside(() -> parent.connector().last(E1).listener().onReady(secured(security)));

    assertThat(addresses.describe(backend).link().tls()).contains(security);
  }

  private static Transport secured(TransportSecurity security) {
    return new Transport() {
      @Override
      public Optional<TransportSecurity> security() {
        return Optional.of(security);
      }

      @Override
      public BackendMetricsStream openBackendMetrics(
          Duration interval, BackendMetricsStream.Listener listener) {
        throw new UnsupportedOperationException();
      }
    };
  }

  @Test
  void viewsSayWhyNoneCanBeReached() {
    List<Backend> backends = Samples.backends(E1, E2);
    connect(E1, E2);
    parent.end(E1, E2);

    assertThat(addresses.describe(backends))
        .allSatisfy(
            endpoint -> {
              assertThat(endpoint.state()).isEqualTo(TRANSIENT_FAILURE);
              assertThat(endpoint.link().failure()).isEqualTo(E2 + ": refused");
            });
  }

  private void connect(String... hosts) {
    parent.loop().inside(() -> addresses.update(Samples.backends(hosts)));
    parent.loop().inside(addresses::connect);
  }

  private List<String> open() {
    return parent.connector().open();
  }
}
