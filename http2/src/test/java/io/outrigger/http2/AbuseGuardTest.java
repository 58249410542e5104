package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of useless work that a peer may cause. */
final class AbuseGuardTest {
  private static final int RESETS = 100;
  private static final int CONTROL_FRAMES = 200;
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final MockTicker ticker = Ticker.newMockTicker();
  private final AbuseGuard guard =
      new AbuseGuard(
          true, new AbuseLimits(PERIOD, RESETS, CONTROL_FRAMES, 64, 1 << 20), ticker, frames -> {});

  /**
   * The number of the first reset that exceeds the limit; one more than the number of resets if
   * none does.
   */
  private int firstResetTooMany(int most) {
    int resets = 1;
    while (resets <= most && !isTooMany(guard::onReset)) {
      resets++;
    }
    return resets;
  }

  private interface Work {
    void count() throws ConnectionFault;
  }

  private static boolean isTooMany(Work work) {
    try {
      work.count();
      return false;
    } catch (ConnectionFault fault) {
      return fault.error() == Http2Error.ENHANCE_YOUR_CALM;
    }
  }

  private int firstIdleFrameTooMany() {
    int frames = 1;
    while (!isTooMany(guard::onIdleFrame)) {
      frames++;
    }
    return frames;
  }

  /** Beyond the limit at least a quarter of the streams must have ended without a reset. */
  @ParameterizedTest
  @CsvSource({"0, 100", "100, 100", "132, 100", "133, 101", "200, 151", "400, 301"})
  void resetsAreTooManyFromTheLimitOnAndOfMoreThanThreeQuartersOfTheStreams(
      int streams, int tooMany) {
    for (int i = 0; i < streams; i++) {
      guard.onStream();
    }

    assertThat(firstResetTooMany(1_000)).isEqualTo(tooMany);
  }

  @ParameterizedTest
  @CsvSource({"0, 201", "1, 209", "10, 281"})
  void aUsefulFramePaysForEightBesideThoseOfThePeriod(int useful, int tooMany) {
    for (int i = 0; i < useful; i++) {
      guard.onUsefulFrame();
    }

    assertThat(firstIdleFrameTooMany()).isEqualTo(tooMany);
  }

  @Test
  void aChangeOfAllWindowsCountsEachStreamAndTheFramesThatItReleases() {
    assertThat(isTooMany(() -> guard.onWindowsChanged(100, 12))).isFalse(); // 100 + 12 * 8
    assertThat(firstIdleFrameTooMany()).isEqualTo(CONTROL_FRAMES - 196 + 1);
  }

  @Test
  void aLimitThatIsReachedWhenThePeriodIsOverCountsAnew() {
    assertThat(firstResetTooMany(RESETS - 1)).isEqualTo(RESETS);
    ticker.advance(PERIOD.toNanos(), TimeUnit.NANOSECONDS);
    assertThat(isTooMany(guard::onReset)).isFalse();

    assertThat(firstResetTooMany(RESETS)).isEqualTo(RESETS);
  }

  @Test
  void aLimitThatIsReachedANanosecondEarlierIsNotForgiven() {
    assertThat(firstResetTooMany(RESETS - 1)).isEqualTo(RESETS);
    ticker.advance(PERIOD.toNanos() - 1, TimeUnit.NANOSECONDS);

    assertThat(isTooMany(guard::onReset)).isTrue();
  }
}
