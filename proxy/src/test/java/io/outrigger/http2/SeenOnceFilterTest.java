package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Hashes that agree in their upper bits meet in one set of eight. */
final class SeenOnceFilterTest {
  private final SeenOnceFilter strangers = new SeenOnceFilter(128);

  @Test
  void whatCameBeforeIsKnown() {
    assertThat(strangers.isKnown(0x12345678)).isFalse();

    assertThat(strangers.isKnown(0x12345678)).isTrue();
  }

  @Test
  void eightThatMeetInASetAreAllKnownWhenTheyComeAgain() {
    assertThat(IntStream.rangeClosed(1, 8).filter(this::comes)).isEmpty();

    assertThat(IntStream.rangeClosed(1, 8).filter(this::comes)).hasSize(8);
  }

  @Test
  void theOldestOfASetGoes() {
    IntStream.rangeClosed(1, 9).forEach(this::comes);

    assertThat(IntStream.rangeClosed(2, 9).filter(this::comes)).hasSize(8);
    assertThat(comes(1)).isFalse();
  }

  /** The i-th hash of one set: they differ in bits that do not choose it. */
  private boolean comes(int i) {
    return strangers.isKnown(i << 16 | 0x48);
  }
}
