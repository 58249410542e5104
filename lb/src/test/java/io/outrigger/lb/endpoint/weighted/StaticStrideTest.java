package io.outrigger.lb.endpoint.weighted;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StaticStrideTest {
  @Conformance({"A58-02", "A58-03"})
  @ParameterizedTest(name = "weights {0} share {1}")
  @CsvSource({
    "1 1,          500 500",
    "1 3,          250 750",
    "0 0 0 0,      250 250 250 250",
    "0 1 3,        333 167 500",
    "0 7,          500 500",
    "1e-300 1e300, 48 952",
    "1 1 1 1 1 1 1 1 1 1000, 9 9 9 9 9 9 9 9 9 917",
    "0.1 0.2 0.3,  167 333 500",
  })
  void turnsAreSharedByWeightWithinBounds(String weights, String shares) {
    StaticStride stride = StaticStride.of(numbers(weights));
    double[] expected = numbers(shares);
    int[] counts = new int[expected.length];

    int calls = 200_000;
    long sequence = 0;
    for (int i = 0; i < calls; i++) {
      int turn;
      do {
        turn = stride.turn(sequence++);
      } while (turn < 0);
      counts[turn]++;
    }

    for (int i = 0; i < expected.length; i++) {
      assertThat(1000.0 * counts[i] / calls).isBetween(expected[i] - 2, expected[i] + 2);
    }
    assertThat(sequence).as("turns that are nobody's").isLessThan(11L * calls);
  }

  @Test
  void turnsOfOneEndpointAreSpreadEvenly() {
    StaticStride stride = StaticStride.of(numbers("1 4"));
    int since = 0;
    for (long sequence = 0; sequence < 10_000; sequence++) {
      int turn = stride.turn(sequence);
      since = turn == 0 ? 0 : since + (turn < 0 ? 0 : 1);
      assertThat(since).as("turns of the heavy one in a row").isLessThanOrEqualTo(5);
    }
  }

  private static double[] numbers(String text) {
    return Arrays.stream(text.trim().split(" +", -1)).mapToDouble(Double::parseDouble).toArray();
  }
}
