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
    var limit = new MemoryLimit(1_000, usedBytes::get);
    assertThat(limit.sample()).as("the flag has changed").isEqualTo(exceeded);

    assertThat(limit.isShort()).isEqualTo(isShort);
    assertThat(limit.isExceeded()).isEqualTo(exceeded);

    usedBytes.set(0);
    assertThat(limit.sample()).isEqualTo(exceeded);
    assertThat(limit.isShort() || limit.isExceeded()).isFalse();
  }
}
