package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The array grows with a block; an unusually large array is not kept for the next block. */
final class HpackOutputTest {
  private final HpackOutput out = new HpackOutput();

  private void write(int bytes) {
    out.bytes(new byte[bytes], 0, bytes);
  }

  @Test
  void roomIsDoubledWhenItIsFullOrAsLargeAsIsNeeded() {
    write(1_024);
    assertThat(out.bytes()).hasSize(1_024);

    write(1);
    assertThat(out.bytes()).hasSize(2_048);

    write(5_000);
    assertThat(out.bytes()).hasSize(6_025);
    assertThat(out.length()).isEqualTo(6_025);
  }

  @Test
  void roomOfAUsualBlockIsKept() {
    write(1_024);
    byte[] least = out.bytes();
    out.clear();
    assertThat(out.bytes()).isSameAs(least);

    write(16_384);
    byte[] most = out.bytes();
    out.clear();
    assertThat(out.bytes()).isSameAs(most).hasSize(16_384);
    assertThat(out.length()).isZero();
  }

  @Test
  void roomOfAnUnusualBlockIsNotKept() {
    write(100_000);
    out.clear();

    assertThat(out.bytes()).hasSize(16_384);
  }
}
