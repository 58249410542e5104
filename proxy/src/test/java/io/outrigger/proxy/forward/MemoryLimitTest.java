package io.outrigger.proxy.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MemoryLimitTest {
  @ParameterizedTest(name = "{0} of 1000: short {1}, exceeded {2}")
  @CsvSource({"0, false, false", "500, false, false", "501, true, false", "1001, true, true"})
  void halfOfItIsShortAndAllOfItTooMuch(long used, boolean isShort, boolean exceeded) {
    var usedBytes = new AtomicLong(used);
    var limit = new MemoryLimit(1_000, usedBytes::get, () -> {});
    limit.sample();

    assertThat(limit.isShort()).isEqualTo(isShort);
    assertThat(limit.isExceeded()).isEqualTo(exceeded);

    usedBytes.set(0);
    limit.sample();
    assertThat(limit.isShort() || limit.isExceeded()).isFalse();
  }

  @ParameterizedTest(name = "{0} of 1000, {1} without what is only kept: exceeded {2}")
  @CsvSource({"1001, 1000, false", "1001, 1001, true", "1000, 0, false"})
  void whatIsOnlyKeptIsGivenBackBeforeRequestsAreRefused(long used, long kept, boolean exceeded) {
    var usedBytes = new AtomicLong(used);
    var limit = new MemoryLimit(1_000, usedBytes::get, () -> usedBytes.set(kept));

    assertThat(limit.sampleAndTrim()).isEqualTo(used > 1_000);

    assertThat(limit.isExceeded()).isEqualTo(exceeded);
    assertThat(limit.sampleAndTrim()).as("at the next look").isEqualTo(exceeded);
    assertThat(usedBytes).as("nothing is done without need").hasValue(used > 1_000 ? kept : used);
  }
}
