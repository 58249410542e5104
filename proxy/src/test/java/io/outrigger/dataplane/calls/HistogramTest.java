package io.outrigger.dataplane.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistogramTest {
  private final Histogram fine = new Histogram(Histogram.FINE_NANOS);

  @ParameterizedTest(name = "{0} ns -> bucket {1}, up to {2} us")
  @CsvSource({
    "-1, 0, 0",
    "0, 0, 0",
    "1, 1, 1",
    "1000, 1, 1",
    "15000, 15, 15",
    "16000, 16, 16",
    "31000, 31, 31",
    "31001, 32, 33",
    "33000, 32, 33",
    "34000, 33, 35",
    "1000000, 111, 1023",
    "1099511627775000, 591, 1099511627775",
    "1099511627775001, 592, 9223372036854775",
  })
  void durationsHaveLogLinearBuckets(long nanos, int bucket, long upperMicros) {
    fine.record(nanos);

    assertThat(fine.count(bucket)).isEqualTo(1);
    assertThat(fine.bound(bucket) / 1_000).isEqualTo(upperMicros);
    assertThat(fine.sum()).isEqualTo(nanos);
  }

  @Test
  void aValueIsCountedBelowTheFirstBoundThatHoldsIt() {
    long[] bounds = {0, 1, 5, 7, 8, 100, 4095, 4096, 4097, 1L << 40, Long.MAX_VALUE - 1};
    for (long bound : bounds) {
      for (long value : new long[] {bound - 1, bound, bound + 1}) {
        var histogram = new Histogram(bounds);
        histogram.record(value);

        int expected = (int) LongStream.of(bounds).takeWhile(each -> each < value).count();
        assertThat(histogram.count(expected)).as("%d", value).isEqualTo(1);
      }
    }
  }

  @Test
  void aBucketOfDurationsIsAtMostSixPercentWide() {
    for (int i = 1; i < fine.buckets() - 1; i++) {
      long lowest = fine.bound(i - 1) / 1_000 + 1;

      assertThat((double) (fine.bound(i) / 1_000 - lowest)).isLessThanOrEqualTo(lowest / 16.0);
    }
  }

  @Test
  void aBucketIsAddedToTheBucketForItsLargestValue() {
    fine.record(0);
    fine.record(1_000);
    fine.record(1_001); // counts as 2 us
    fine.record(5_000);
    fine.record(6_000);
    fine.record(Long.MAX_VALUE / 2);
    var coarse = new Histogram(new long[] {1_000, 5_000});
    coarse.add(fine);
    Histogram twice = coarse.empty();
    twice.add(coarse);
    twice.add(coarse);

    assertThat(counts(coarse)).containsExactly(2, 2, 2);
    assertThat(coarse.sum()).isEqualTo(13_001 + Long.MAX_VALUE / 2);
    assertThat(counts(twice)).containsExactly(4, 4, 4);
    assertThat(List.of(twice.bound(0), twice.bound(1), twice.bound(2)))
        .containsExactly(1_000L, 5_000L, Long.MAX_VALUE);
    assertThat(counts(coarse.empty())).containsExactly(0, 0, 0);
  }

  private static List<Integer> counts(Histogram histogram) {
    return IntStream.range(0, histogram.buckets())
        .mapToObj(bucket -> (int) histogram.count(bucket))
        .toList();
  }
}
