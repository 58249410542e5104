package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.HeaderBlockCache.SeenOnceFilter;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Hashes that differ only in their upper bits fall into the same set of eight. */
final class SeenOnceFilterTest {
  private final SeenOnceFilter filter = new SeenOnceFilter(128);

  @Test
  void whatCameBeforeIsKnown() {
    assertThat(filter.isKnown(0x12345678)).isFalse();

    assertThat(filter.isKnown(0x12345678)).isTrue();
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

  /** The i-th hash of one set; the hashes differ only in bits that do not select the set. */
  private boolean comes(int i) {
    return filter.isKnown(i << 16 | 0x48);
  }
}
