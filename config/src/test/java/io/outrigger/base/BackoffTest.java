package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import io.outrigger.testing.ScriptedRandom;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final double[] NOMINAL = {1, 1.6, 2.56, 4.096, 6.5536};

  @Conformance({"A57-04", "SC-50"})
  @Test
  void eachStepGrowsBySixTenthsAndSpreadsByAFifth() {
    for (long seed = 0; seed < 50; seed++) {
      var backoff = new Backoff(new ScriptedRandom(seed));
      for (double nominal : NOMINAL) {
        assertThat(seconds(backoff.next())).isBetween(nominal * 0.8, nominal * 1.2);
      }
    }
  }

  @Conformance("A57-04")
  @Test
  void theDelayIsCapped() {
    var backoff = new Backoff(new ScriptedRandom(1));
    for (int i = 0; i < 30; i++) {
      backoff.next();
    }

    assertThat(seconds(backoff.next())).isBetween(96.0, 144.0);
  }

  @Conformance("A57-06")
  @Test
  void resetStartsOver() {
    var backoff = new Backoff(new ScriptedRandom(1));
    for (int i = 0; i < 5; i++) {
      backoff.next();
    }

    backoff.reset();

    assertThat(seconds(backoff.next())).isBetween(0.8, 1.2);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
