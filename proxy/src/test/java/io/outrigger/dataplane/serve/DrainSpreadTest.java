package io.outrigger.dataplane.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.time.Duration;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A thousand pods, each with a hundred connections, whose Listener changes at the same time. */
final class DrainSpreadTest {
  private static final int CONNECTIONS = 1000 * 100;

  private static int[] perSecond(Duration spread) {
    var random = new Random(36);
    int[] ended = new int[601];
    for (int i = 0; i < CONNECTIONS; i++) {
      Duration delay =
          ServedAdmission.goAwayDelay(spread, (bound, purpose) -> random.nextLong(bound));
      assertThat(delay.isNegative() || delay.compareTo(spread) > 0).isFalse();
      ended[(int) delay.toSeconds()]++;
    }
    return ended;
  }

  @Test
  @Conformance({"OPS-05", "FL-03"})
  void noSecondSeesMoreThanATwentiethOfAllCallersConnectAgain() {
    int[] ended = perSecond(Duration.ofSeconds(30));

    assertThat(IntStream.of(ended).max().orElseThrow()).isLessThanOrEqualTo(CONNECTIONS / 20);
  }

  @Test
  void withoutASpreadAllEndAtOnce() {
    assertThat(ServedAdmission.goAwayDelay(Duration.ZERO, (bound, purpose) -> bound - 1))
        .isEqualTo(Duration.ZERO);
  }
}
