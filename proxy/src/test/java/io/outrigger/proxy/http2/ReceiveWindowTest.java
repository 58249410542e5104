package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ReceiveWindowTest {
  private final ReceiveWindow window = new ReceiveWindow(1600);

  @Test
  void creditIsToldAtHalfAWindow() {
    assertThat(window.receive(800)).isTrue();

    assertThat(window.giveBack(799)).isZero();
    assertThat(window.giveBack(1)).isEqualTo(800);
  }

  @Test
  void bytesThatNobodyReadsDoNotKeepTheOthersCreditFromThePeer() {
    assertThat(window.receive(1000)).isTrue(); // of streams that stand still
    assertThat(window.receive(600)).isTrue();

    assertThat(window.giveBack(99)).as("not worth a frame").isZero();
    assertThat(window.giveBack(501)).isEqualTo(600);
    assertThat(window.receive(600)).isTrue();
    assertThat(window.receive(1)).isFalse();
  }
}
