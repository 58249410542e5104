package io.outrigger.lb.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.view.LbEvent;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An operator learns that no endpoint of a cluster can be reached, and that one can be again. */
class OutageScenarioTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final String E3 = "10.0.0.3:80";

  private final LbScript lb = new LbScript();

  private void serve(ClusterConfig cluster) {
    lb.apply(Samples.config(Set.of("pay"), cluster));
  }

  /** The outages and their ends, in words. */
  private List<String> outages() {
    return lb.events().stream()
        .filter(event -> event instanceof LbEvent.Outage || event instanceof LbEvent.OutageOver)
        .map(
            event ->
                event.cluster()
                    + ": "
                    + (event instanceof LbEvent.Outage outage
                        ? outage.text()
                        : ((LbEvent.OutageOver) event).text()))
        .toList();
  }

  @Test
  void theLastFailureBeginsAnOutageAndTheFirstConnectionEndsIt() {
    serve(Samples.eds("pay", E1, E2));
    lb.ready(E1);
    lb.end(E2);
    assertThat(outages()).isEmpty();

    lb.end(E1); // the connection is lost, and made anew
    assertThat(outages()).isEmpty();
    lb.end(E1);
    String failing =
        "pay: 0 of 2 endpoints can be reached; calls fail; last error: 10.0.0.1:80: refused";
    assertThat(outages()).containsExactly(failing);

    lb.advance(Duration.ofSeconds(5));
    lb.end(E1, E2);
    assertThat(outages()).containsExactly(failing);

    lb.advance(Duration.ofMinutes(2));
    lb.ready(E2);
    assertThat(outages()).containsExactly(failing, "pay: 1 of 2 endpoints can be reached");
    lb.advance(Duration.ofMinutes(2));
    lb.ready(E1);
    assertThat(outages()).hasSize(2);
  }

  @Test
  void aClusterThatLosesItsEndpointsHasAnOutageToo() {
    serve(Samples.eds("pay", E1));
    lb.ready(E1);

    serve(
        Samples.eds(
            "pay",
            Samples.priorities(
                Samples.locality("z", 1, Samples.endpoint(HealthStatus.UNHEALTHY, E1)))));
    assertThat(outages()).containsExactly("pay: calls fail, because no endpoint may be used");

    serve(Samples.eds("pay", E1));
    lb.ready(E1);
    assertThat(outages()).last().isEqualTo("pay: 1 of 1 endpoints can be reached");
  }

  @Test
  void ejectedEndpointsCannotBeReached() {
    serve(
        Samples.watched(
            "pay", Detections.failing(100), Samples.priorities(Samples.zone("z", E1, E2, E3))));
    lb.ready(E1, E2, E3);
    lb.traffic("pay", 400, address -> true);

    lb.advance(Duration.ofSeconds(10));

    assertThat(outages()).containsExactly("pay: 0 of 3 endpoints can be reached; calls fail");
    lb.advance(Duration.ofMinutes(2));
    assertThat(outages()).last().isEqualTo("pay: 3 of 3 endpoints can be reached");
  }

  private static ClusterConfig ring(String... endpoints) {
    return Samples.leaf(
        Samples.cluster(
            "pay",
            new ClusterSource.Eds("pay"),
            new BalancingPolicy.RingHash(1024, 4096, ""),
            ClusterResource.Limits.DEFAULT.maxRequests()),
        Samples.priorities(Samples.zone("z", endpoints)));
  }

  /** The next call connects (A42), which an endpoint that a ring connects already shows sooner. */
  @Test
  void aRingWhoseEndpointsAreReplacedInAnOutageMayBeReached() {
    serve(ring(E1));
    lb.pick("pay");
    lb.end(E1);
    lb.advance(Duration.ofMillis(100));
    assertThat(outages()).hasSize(1);

    serve(ring(E2));

    assertThat(lb.state("pay")).isEqualTo(Connectivity.IDLE);
    assertThat(outages())
        .last()
        .isEqualTo("pay: 1 of 1 endpoints can be tried; the next call connects");
    assertThat(outages()).hasSize(2);
  }

  @Test
  void endpointsThatWereNeverTriedAreNotFailing() {
    serve(ring(E1, E2, E3));
    lb.pick("pay");
    while (lb.state("pay") != Connectivity.TRANSIENT_FAILURE) {
      lb.end(lb.open().get(0));
    }
    assertThat(outages()).isEmpty(); // two have failed

    lb.end(lb.open().get(0));

    assertThat(outages()).as("endpoints are counted ten times a second").isEmpty();
    lb.advance(Duration.ofMillis(100));
    assertThat(outages()).hasSize(1);
  }

  @Test
  void aClusterThatEndsHasNoOutage() {
    serve(Samples.eds("pay", E1));
    lb.ready(E1);

    lb.apply(Samples.config(Set.of()));
    lb.loop().inside(() -> lb.manager().close());

    assertThat(outages()).isEmpty();
  }
}
