package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An operation has stalled when it has begun and makes no progress for the time limit. */
final class StallTest {
  private static final long LIMIT = Duration.ofSeconds(5).toNanos();

  private final ConnectionMemory.Stall stall = new ConnectionMemory.Stall(Duration.ofSeconds(5));

  @Test
  void itIsOverWhenTheLimitIsReachedAndNotBefore() {
    assertThat(stall.isOver(true, 7, 100)).isFalse();
    assertThat(stall.isOver(true, 7, 100 + LIMIT - 1)).isFalse();
    assertThat(stall.isOver(true, 7, 100 + LIMIT)).isTrue();
  }

  @Test
  void everyStepBeginsTheTimeAnew() {
    assertThat(stall.isOver(true, 7, 0)).isFalse();
    assertThat(stall.isOver(true, 8, LIMIT)).isFalse();
    assertThat(stall.isOver(true, 8, 2 * LIMIT - 1)).isFalse();
    assertThat(stall.isOver(true, 8, 2 * LIMIT)).isTrue();
  }

  @Test
  void whatIsNotBegunStandsNotStill() {
    assertThat(stall.isOver(true, 7, 0)).isFalse();
    assertThat(stall.isOver(false, 7, LIMIT)).isFalse();
    assertThat(stall.isOver(true, 7, 2 * LIMIT)).isFalse();
    assertThat(stall.isOver(true, 7, 3 * LIMIT)).isTrue();
  }

  @Test
  void itsLimitIsToldInMilliseconds() {
    assertThat(stall.limitMillis()).isEqualTo(5_000);
  }
}
