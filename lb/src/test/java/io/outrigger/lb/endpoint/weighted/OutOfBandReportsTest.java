package io.outrigger.lb.endpoint.weighted;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy.WeightedRoundRobin;
import io.outrigger.lb.BackendMetrics;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.config.LocalityWeights;
import io.outrigger.lb.testing.FakeConnector.FakeReports;
import io.outrigger.lb.testing.FakeConnector.FakeTransport;
import io.outrigger.lb.testing.FakeParent;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A51 "Out of Band Metrics Reporting", as weighted_round_robin uses it. */
class OutOfBandReportsTest {
  private static final String E1 = "10.0.0.1:80";
  private static final String E2 = "10.0.0.2:80";
  private static final FailureNote NOTE = new FailureNote("pay", Samples.NOTE);
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final FakeParent parent = new FakeParent();
  private final Map<String, FakeTransport> transports = new HashMap<>();
  private final LbPolicy policy =
      new WeightedRoundRobinPolicy(parent.context(1), config(true, PERIOD, E1, E2), parent);

  @Conformance("A58-01")
  @Test
  void eachConnectionHasOneStreamThatTellsTheWeight() {
    start();
    assertThat(streams(E1)).singleElement().extracting(FakeReports::interval).isEqualTo(PERIOD);

    report(E1, 100);
    report(E2, 300);
    parent.advance(Duration.ofSeconds(1));

    assertThat(parent.shares(400)).isEqualTo(Map.of(E1, 100, E2, 300));
  }

  @Test
  void itIsAskedForOnlyWhileItIsConfigured() {
    apply(config(false, PERIOD, E1, E2));
    connect();
    assertThat(streams(E1)).isEmpty();

    apply(config(true, PERIOD, E1, E2));
    assertThat(streams(E1)).hasSize(1);
    apply(config(true, PERIOD, E1, E2));
    assertThat(streams(E1)).as("nothing has changed").hasSize(1);

    apply(config(true, Duration.ofSeconds(5), E1, E2));
    assertThat(streams(E1)).extracting(FakeReports::isClosed).containsExactly(true, false);
    assertThat(streams(E1).get(1).interval()).isEqualTo(Duration.ofSeconds(5));

    apply(config(false, PERIOD, E1, E2));
    assertThat(streams(E1)).extracting(FakeReports::isClosed).containsOnly(true);
    assertThat(parent.connector().count()).as("connections stay").isEqualTo(2);
  }

  @Test
  void aStreamThatEndsIsAskedForAgainAfterABackOff() {
    start();

    end(E1, false);
    assertThat(streams(E1)).hasSize(1);
    parent.advance(Duration.ofMillis(1200));
    assertThat(streams(E1)).hasSize(2);
    end(E1, false);
    parent.advance(Duration.ofMillis(1200));
    assertThat(streams(E1)).as("the second wait is longer").hasSize(2);
    parent.advance(Duration.ofMillis(800));
    assertThat(streams(E1)).hasSize(3);
  }

  @Test
  void aReportBeginsTheBackOffAnew() {
    start();
    failTwice();

    report(E1, 100);
    end(E1, false);

    parent.advance(Duration.ofMillis(1200));
    assertThat(streams(E1)).hasSize(4);
  }

  @Test
  void anotherConnectionBeginsTheBackOffAnew() {
    start();
    failTwice();
    parent.end(E1);
    parent.ready(E1);
    note(E1);

    end(E1, false);

    parent.advance(Duration.ofMillis(1200));
    assertThat(streams(E1)).hasSize(2);
  }

  /** The third stream is open, and the next wait would be of 2 s at least. */
  private void failTwice() {
    end(E1, false);
    parent.advance(Duration.ofMillis(1200));
    end(E1, false);
    parent.advance(Duration.ofMillis(2000));
    assertThat(streams(E1)).hasSize(3);
  }

  @Test
  void aStreamThatReportedIsReplacedAtOnceIfItLived() {
    start();
    report(E1, 100);
    parent.advance(Duration.ofSeconds(2));

    end(E1, false);
    assertThat(streams(E1)).hasSize(2);

    report(E1, 100);
    end(E1, false);
    assertThat(streams(E1)).as("one that ends at once is paced").hasSize(2);
  }

  @Test
  void aBackendThatKnowsNoReportsIsNotAskedAgainOnItsConnection() {
    start();

    end(E1, true);
    parent.advance(Duration.ofMinutes(10));
    assertThat(streams(E1)).hasSize(1);

    parent.end(E1);
    parent.ready(E1);
    note(E1);
    assertThat(streams(E1))
        .as("on another connection it is")
        .hasSize(1)
        .noneMatch(FakeReports::isClosed);
  }

  @Test
  void aConnectionsEndOrAnEndpointsEndsTheStream() {
    start();
    FakeReports first = streams(E1).get(0);
    FakeReports second = streams(E2).get(0);

    parent.end(E1);
    assertThat(first.isClosed()).isTrue();
    apply(config(true, PERIOD, E1));
    assertThat(second.isClosed()).isTrue();
  }

  @Test
  void closingLeavesNoTimer() {
    start();
    end(E1, false);

    parent.loop().inside(policy::close);

    assertThat(parent.loop().pendingTimers()).isZero();
    assertThat(streams(E2)).extracting(FakeReports::isClosed).containsOnly(true);
  }

  private void start() {
    apply(config(true, PERIOD, E1, E2));
    connect();
  }

  private void connect() {
    parent.ready(E1, E2);
    note(E1);
    note(E2);
  }

  /** Remembers the transport of an endpoint that is READY. */
  private void note(String address) {
    for (int i = 0; i < 10; i++) {
      var subchannel = ((PickResult.Use) parent.picker().pick(TestCall.CALL)).subchannel();
      if (subchannel.address().toString().equals(address)) {
        transports.put(address, (FakeTransport) subchannel.transport());
        return;
      }
    }
    throw new AssertionError(address + " is not picked");
  }

  private List<FakeReports> streams(String address) {
    return transports.get(address).reports();
  }

  private FakeReports last(String address) {
    List<FakeReports> streams = streams(address);
    return streams.get(streams.size() - 1);
  }

  private void report(String address, double weight) {
    parent
        .loop()
        .inside(
            () ->
                last(address)
                    .listener()
                    .onReport(new BackendMetrics(1, 0, 0, weight, 0, Map.of(), Map.of())));
  }

  private void end(String address, boolean unsupported) {
    parent.loop().inside(() -> last(address).listener().onEnded(unsupported));
  }

  private void apply(LbConfig config) {
    parent.loop().inside(() -> policy.update(config));
  }

  private static LbConfig.Leaf config(boolean oob, Duration period, String... addresses) {
    var settings =
        new WeightedRoundRobin(
            oob,
            period,
            Duration.ZERO,
            WeightedRoundRobin.DEFAULT_EXPIRATION,
            WeightedRoundRobin.DEFAULT_UPDATE_PERIOD,
            1,
            List.of());
    return new LbConfig.Leaf(
        settings, Samples.backends(addresses), LocalityWeights.EQUAL, NOTE, "");
  }
}
