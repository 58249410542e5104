package io.outrigger.lb.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.outrigger.config.cluster.OutlierDetection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The plan for large fleets: the arithmetic, and that the real tree agrees with it. */
class FleetViewTest {
  @Test
  void theChanceOfVolumeIsThatOfPoisson() {
    assertThat(FleetView.chanceOfVolume(1, 1)).isCloseTo(1 - Math.exp(-1), within(1e-12));
    assertThat(FleetView.chanceOfVolume(3, 3)).isCloseTo(1 - 8.5 * Math.exp(-3), within(1e-12));
    assertThat(FleetView.chanceOfVolume(0.1, 100)).isLessThan(1e-12);
  }

  @Test
  void aSidecarOfThousandEndpointsSeesNothingAtTheDefaultVolume() {
    var detection = Kinds.failing(Duration.ofSeconds(10), 85, 50);

    assertThat(new FleetView(detection, 1000, 10).chanceOfEjection(1)).isLessThan(1e-12);
    assertThat(sampled(1000, detection)).isEmpty();
  }

  @Test
  void aSubsetSeesADeadEndpointAsSoonAsComputed() {
    var detection = Kinds.failing(Duration.ofSeconds(10), 60, 3);
    double atMost = new FleetView(detection, 20, 10).secondsToEjection(1);

    List<Double> sampled = sampled(20, detection);

    double mean = sampled.stream().mapToDouble(seconds -> seconds).average().orElseThrow();
    assertThat(sampled).hasSize(8);
    assertThat(mean).isBetween(atMost / 3, atMost * 1.3);
  }

  /** Seconds to ejection at those of eight sidecars that ejected the dead endpoint. */
  private static List<Double> sampled(int endpoints, OutlierDetection detection) {
    List<Double> seconds = new ArrayList<>();
    for (int sidecar = 0; sidecar < 8; sidecar++) {
      Simulation.Result result =
          new Simulation(Kinds.LEAST_REQUEST, Optional.of(detection), endpoints, 10, 0.001, sidecar)
              .run(Scenario.oneDies(301 + 7 * sidecar));
      if (result.ejected() > 0) {
        seconds.add(result.ejection());
      }
    }
    return seconds;
  }
}
