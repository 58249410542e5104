package io.outrigger.lb.override;

import static io.outrigger.config.endpoint.HealthStatus.DRAINING;
import static io.outrigger.config.endpoint.HealthStatus.HEALTHY;
import static io.outrigger.config.endpoint.HealthStatus.UNHEALTHY;
import static io.outrigger.config.endpoint.HealthStatus.UNKNOWN;
import static io.outrigger.lb.testing.Samples.endpoint;
import static io.outrigger.lb.testing.Samples.locality;
import static io.outrigger.lb.testing.Samples.zone;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickPlan.OverrideCandidate;
import io.outrigger.lb.PickPlan.OverrideOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Odds;
import io.outrigger.lb.testing.PlannedTestCall;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.SessionCall;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What explanations and status views say of sessions. */
class SessionPlansTest {
  private static final String A = "10.0.0.1:80";
  private static final String B = "10.0.0.2:80";
  private static final String C = "10.0.1.1:80";
  private static final String REMOVED = "10.9.9.9:80";

  private final LbScript lb = new LbScript();

  @Test
  void beforeTheFirstSessionNothingIsLookedUpForAPlan() {
    apply(Set.of(HEALTHY), Samples.priorities(zone("x", A)));
    lb.ready(A);

    PickPlan.Preferring named = preferring(plan(Optional.of(List.of(address(A)))));
    assertThat(named.outcome()).isEqualTo(OverrideOutcome.NOT_LOOKED_UP);
    assertThat(named.candidates())
        .containsExactly(new OverrideCandidate(address(A), "not looked up before a first session"));
    assertThat(Odds.of(named)).extracting(Odds::result).containsExactly(waiting());

    PickPlan.Preferring beginning = preferring(plan(Optional.of(List.of())));
    assertThat(beginning.outcome()).isEqualTo(OverrideOutcome.NOT_LOOKED_UP);
    assertThat(picked(beginning)).containsExactly(A);
    assertThat(picked(plan(Optional.empty()))).containsExactly(A);
    assertThat(overrideNode().detail()).isEqualTo("no session so far");
  }

  @Test
  void aPlanTellsHowEachPreferredEndpointStands() {
    EndpointSet endpoints =
        Samples.priorities(
            locality("x", 1, endpoint(A), endpoint(B)),
            locality("y", 1, endpoint(C), endpoint(UNKNOWN, "10.0.1.2:80")));
    start(Set.of(HEALTHY), endpoints);

    PickPlan.Preferring plan =
        preferring(
            plan(
                Optional.of(
                    List.of(address(REMOVED), address("10.0.1.2:80"), address(C), address(A)))));

    assertThat(plan.candidates())
        .extracting(OverrideCandidate::standing)
        .containsExactly(
            "not in the cluster", "its health keeps sessions away", "not connected", "READY");
    assertThat(plan.outcome()).isEqualTo(OverrideOutcome.KEPT);
    assertThat(picked(plan)).containsExactly(A);
  }

  @Test
  void aPlanWaitsForAnEndpointThatWouldBeConnected() {
    start(Set.of(HEALTHY), Samples.priorities(zone("x", A), zone("y", C)));

    PickPlan.Preferring unconnected = preferring(plan(Optional.of(List.of(address(C)))));
    assertThat(unconnected.outcome()).isEqualTo(OverrideOutcome.KEPT);
    assertThat(Odds.of(unconnected)).extracting(Odds::result).containsExactly(waiting());
    assertThat(lb.open()).containsExactly(A);

    lb.pick("pay", SessionCall.to(C));
    PickPlan.Preferring connecting = preferring(plan(Optional.of(List.of(address(C)))));
    assertThat(connecting.candidates())
        .containsExactly(new OverrideCandidate(address(C), "CONNECTING"));
    assertThat(Odds.of(connecting)).extracting(Odds::result).containsExactly(waiting());
  }

  @Test
  void aPlanWithoutAnEndpointToPreferIsTheBalancers() {
    start(Set.of(HEALTHY), Samples.priorities(zone("x", A, B)));

    PickPlan.Preferring lost = preferring(plan(Optional.of(List.of(address(REMOVED)))));
    assertThat(lost.outcome()).isEqualTo(OverrideOutcome.LOST);
    assertThat(picked(lost)).containsExactlyInAnyOrder(A, B);
    assertThat(picked(plan(Optional.empty()))).containsExactlyInAnyOrder(A, B);
    assertThat(unlimited(plan(Optional.empty()))).isNotInstanceOf(PickPlan.Preferring.class);
  }

  @Test
  void theViewCountsWhatSessionsKeepAndWhatHealthLeavesOut() {
    start(Set.of(HEALTHY), Samples.priorities(zone("x", A), zone("y", C)));
    assertThat(overrideNode().detail()).isEqualTo("0 connections kept for sessions alone");

    start(
        Set.of(HEALTHY, DRAINING),
        Samples.priorities(
            locality("x", 1, endpoint(A), endpoint(DRAINING, B), endpoint(UNHEALTHY, REMOVED)),
            zone("y", C)));
    lb.pick("pay", SessionCall.to(C));
    assertThat(overrideNode().detail())
        .isEqualTo("1 connection kept for sessions alone, 2 endpoints left out for health");
  }

  @Test
  void aConnectionThatSessionsKeepCountsAmongTheEndpoints() {
    apply(Set.of(HEALTHY), Samples.priorities(zone("x", A), zone("y", C)));
    lb.ready(A);
    assertThat(counted(Connectivity.READY)).isEqualTo(1);
    lb.pick("pay", SessionCall.to());
    assertThat(counted(Connectivity.READY)).isEqualTo(1);

    lb.pick("pay", SessionCall.to(C));
    lb.ready(C);

    assertThat(counted(Connectivity.READY)).isEqualTo(2);
    assertThat(counted(Connectivity.IDLE)).isZero();
  }

  private int counted(Connectivity state) {
    var tally = new EndpointTally();
    lb.loop().inside(() -> lb.manager().count(cluster -> tally));
    return tally.of(state);
  }

  private LbNode overrideNode() {
    LbNode node = lb.describe("pay");
    while (!node.policy().equals("override_host")) {
      node = node.children().get(0);
    }
    return node;
  }

  private PickPlan plan(Optional<List<EndpointAddress>> session) {
    return lb.handle("pay")
        .picker()
        .plan(new PlannedTestCall(OptionalLong.empty(), Map.of(), session));
  }

  private static PickPlan unlimited(PickPlan plan) {
    return ((PickPlan.Limited) plan).inner();
  }

  private static PickPlan.Preferring preferring(PickPlan plan) {
    return (PickPlan.Preferring) unlimited(plan);
  }

  private static List<String> picked(PickPlan plan) {
    return Odds.of(plan).stream()
        .map(odds -> ((PickResult.Use) odds.result()).subchannel().address().toString())
        .toList();
  }

  private static PickResult waiting() {
    return PickResult.Queue.connecting(
        "xds_override_host: waiting for the endpoint of the session to connect");
  }

  private static EndpointAddress address(String text) {
    return Samples.address(text);
  }

  /** Everything connects, and hosts are looked up. */
  private void start(Set<HealthStatus> statuses, EndpointSet endpoints) {
    apply(statuses, endpoints);
    lb.loop().inside(lb.connector()::readyAll);
    lb.pick("pay", SessionCall.to());
  }

  private void apply(Set<HealthStatus> statuses, EndpointSet endpoints) {
    var cluster =
        new ClusterResource(
            "pay",
            new ClusterSource.Eds("pay"),
            ClusterResource.DEFAULT_POLICY,
            ClusterResource.Limits.DEFAULT,
            Optional.empty(),
            new ClusterResource.Sessions(Duration.ofMinutes(1), statuses));
    lb.apply(Samples.config(Set.of("pay"), Samples.leaf(cluster, endpoints)));
  }
}
