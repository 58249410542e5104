package io.outrigger.xds.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.simulation.SimulatedControlPlane.Mood;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A small fleet; {@code scripts/simulate fleet} writes the report of a large one. */
final class FleetTest {
  private static final int SIDECARS = 500;

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.outrigger.xds.stream");
  private final Fleet fleet = new Fleet(SIDECARS);

  @BeforeEach
  void beSilent() {
    logger.setLevel(Level.OFF); // thousands of sidecars would each tell their troubles
  }

  @AfterEach
  void speak() {
    logger.setLevel(null);
  }

  /** The row names no length of the outage; decision xds-0081 says why shorter ones have a peak. */
  @Test
  @Conformance("FL-01")
  void afterTwoMinutesAFleetOfTenThousandComesBackSpreadAndInTime() {
    int sidecars = 10_000;
    var large = new Fleet(sidecars);

    Duration time = large.outage(Mood.DOWN, Duration.ofMinutes(2));

    assertThat(large.controlPlane.current()).isEqualTo(sidecars);
    assertThat(time).isLessThan(Duration.ofMinutes(2));
    assertThat(large.controlPlane.peakOfConnects()).isLessThanOrEqualTo(sidecars / 20);
    assertThat(large.controlPlane.repeated()).isZero();
  }

  @ParameterizedTest
  @Conformance("FL-01")
  @ValueSource(ints = {1, 15, 60})
  void afterAShortOutageAFleetIsBackInTimeAndRepeatsNoRequest(int seconds) {
    Duration time = fleet.outage(Mood.DOWN, Duration.ofSeconds(seconds));

    assertThat(fleet.controlPlane.current()).isEqualTo(SIDECARS);
    assertThat(time).isLessThan(Duration.ofMinutes(2));
    assertThat(fleet.controlPlane.repeated()).isZero();
  }

  @ParameterizedTest
  @Conformance("FL-02")
  @EnumSource(names = {"DOWN", "FULL"})
  void aServerThatIsFullIsAskedNoMoreOftenThanOneThatIsDown(Mood mood) {
    fleet.controlPlane.forgetCounts();
    fleet.controlPlane.fail(mood);

    fleet.loop.advance(Duration.ofMinutes(1));

    // At 0, 1, 2.6, 5.2, 9.3, 15.8, 26.3 and 43 s, each with its jitter.
    assertThat(fleet.controlPlane.attempts()).isBetween(SIDECARS * 6, SIDECARS * 8);
  }

  @ParameterizedTest
  @Conformance("FL-02")
  @ValueSource(ints = {0, 20, 60})
  void aSlowServerIsAskedAsOftenAsAFastOne(int millis) {
    fleet.controlPlane.answersIn(Duration.ofMillis(millis)); // a thousand answers, so up to 60 s

    fleet.outage(Mood.DOWN, Duration.ofMinutes(1));

    assertThat(fleet.controlPlane.current()).isEqualTo(SIDECARS);
    assertThat(fleet.controlPlane.requests()).isEqualTo(SIDECARS * 4);
    assertThat(fleet.controlPlane.repeated()).isZero();
  }
}
