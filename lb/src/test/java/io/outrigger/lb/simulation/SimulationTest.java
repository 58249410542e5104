package io.outrigger.lb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.simulation.Simulation.Result;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The main claims of {@code docs/reports/simulation.md}, on a smaller cluster. */
class SimulationTest {
  private static final int SERVERS = 20;
  private static final double RATE = 15 * SERVERS;

  @Test
  void equalSeedsGiveEqualResults() {
    Result first = run("round_robin", Kinds.DEFAULTS, "brown-out");

    assertThat(run("round_robin", Kinds.DEFAULTS, "brown-out")).isEqualTo(first);
    assertThat(first.calls()).isGreaterThan(150_000);
  }

  @Test
  void aDeadServerIsEjectedAtTheNextSweepAndOnlyIt() {
    Result without = run("round_robin", Optional.empty(), "dead server");
    Result with = run("round_robin", Kinds.BRISK, "dead server");

    assertThat(without.errorRate()).isBetween(0.02, 0.05);
    assertThat(without.recovery()).isInfinite();
    assertThat(with.errorRate()).isLessThan(without.errorRate() / 4);
    assertThat(with.recovery()).isLessThan(6);
    assertThat(with.ejection()).isLessThanOrEqualTo(5);
    assertThat(with.falseEjections()).isZero();
  }

  @Test
  void theDefaultsEjectHealthyServersForASingleError() {
    assertThat(run("round_robin", Kinds.DEFAULTS, "healthy").falseEjections()).isGreaterThan(10);
    assertThat(run("round_robin", Kinds.BRISK, "healthy").falseEjections()).isZero();
    assertThat(run("round_robin", Kinds.PATIENT, "healthy").falseEjections()).isZero();
  }

  @Test
  void aGrayFailureTakesPatience() {
    assertThat(run("round_robin", Kinds.BRISK, "gray failure").ejected()).isZero();
    assertThat(run("round_robin", Kinds.PATIENT, "gray failure").ejected()).isEqualTo(1);
  }

  @Test
  void aZoneThatRefusesConnectionsCostsNextToNothing() {
    Result result = run("round_robin", Optional.empty(), "zone cut off");

    assertThat(result.recovery()).isLessThan(1);
  }

  @Test
  void aSickZoneIsLeftOnlyIfAllOfItMayBeEjected() {
    assertThat(run("round_robin", Kinds.DEFAULTS, "zone sick").errorRate()).isGreaterThan(0.5);

    Result result = run("round_robin", Kinds.BRISK, "zone sick");

    assertThat(result.ejected()).isEqualTo(SERVERS / 2);
    assertThat(result.recovery()).isLessThan(6);
  }

  @Test
  void whenAllAreBadCallsStillGoSomewhere() {
    Result result = run("round_robin", Kinds.BRISK, "all bad");
    Result without = run("round_robin", Optional.empty(), "all bad");

    assertThat(result.errorRate())
        .isBetween(without.errorRate() - 0.02, without.errorRate() + 0.02);
  }

  @Test
  void weightsEvenOutServersOfDifferentCapacity() {
    Optional<OutlierDetection> off = Optional.empty();

    assertThat(run("weighted_round_robin", off, "uneven").imbalance()).isLessThan(1.15);
    assertThat(run("round_robin", off, "uneven").imbalance()).isGreaterThan(1.4);
    assertThat(run("round_robin", off, "healthy").imbalance()).isLessThan(1.05);
  }

  @Test
  void nothingIsDetectedUnderPickFirst() {
    BalancingPolicy policy = new BalancingPolicy.PickFirst(false);
    Result result =
        new Simulation(policy, Optional.of(Kinds.BRISK), SERVERS, 60, 0.001, 1)
            .run(scenario("dead server"));

    assertThat(result.ejected()).isZero();
    assertThat(result.recovery()).isInfinite();
  }

  private static Result run(String policy, OutlierDetection detection, String scenario) {
    return run(policy, Optional.of(detection), scenario);
  }

  private static Result run(String policy, Optional<OutlierDetection> detection, String scenario) {
    BalancingPolicy chosen = Objects.requireNonNull(Kinds.policies().get(policy), policy);
    return new Simulation(chosen, detection, SERVERS, RATE, 0.001, 1).run(scenario(scenario));
  }

  private static Scenario scenario(String name) {
    return Scenario.all(SERVERS).stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no scenario " + name));
  }
}
