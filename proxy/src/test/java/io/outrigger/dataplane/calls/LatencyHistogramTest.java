package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LatencyHistogramTest {
  @ParameterizedTest(name = "{0} us -> bucket {1}, up to {2} us")
  @CsvSource({
    "-1, 0, 0",
    "0, 0, 0",
    "1, 1, 1",
    "15, 15, 15",
    "16, 16, 16",
    "31, 31, 31",
    "32, 32, 33",
    "33, 32, 33",
    "34, 33, 35",
    "1000, 111, 1023",
    "1099511627775, 591, 1099511627775",
    "9223372036854775807, 591, 1099511627775",
  })
  void bucketsAreLogLinear(long micros, int bucket, long upper) {
    assertThat(LatencyHistogram.bucketOf(micros)).isEqualTo(bucket);
    assertThat(LatencyHistogram.upperMicros(bucket)).isEqualTo(upper);
  }

  @Test
  void theLastBucketHoldsTheLongest() {
    assertThat(LatencyHistogram.bucketOf(Long.MAX_VALUE)).isEqualTo(LatencyHistogram.BUCKETS - 1);
  }

  @Test
  void aBucketIsAtMostSixPercentOff() {
    for (long micros = 1; micros < 1L << 40; micros += 1 + micros / 7) {
      long upper = LatencyHistogram.upperMicros(LatencyHistogram.bucketOf(micros));

      assertThat(upper).isGreaterThanOrEqualTo(micros);
      assertThat((double) (upper - micros)).isLessThanOrEqualTo(micros / 16.0);
    }
  }
}
