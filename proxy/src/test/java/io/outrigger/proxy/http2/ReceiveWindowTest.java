package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When the credit of a connection is told to its peer. */
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

  @Test
  void creditThatThePeerHasAsMuchOfAsWaitsIsToldBeforeHalfAWindow() {
    assertThat(window.receive(1200)).isTrue(); // leaves 400

    assertThat(window.giveBack(399)).isZero();
    assertThat(window.giveBack(1)).isEqualTo(400);
  }

  @Test
  void aSixteenthOfTheWindowIsWorthAFrame() {
    assertThat(window.receive(1600)).isTrue();

    assertThat(window.giveBack(99)).isZero();
    assertThat(window.giveBack(1)).isEqualTo(100);
    assertThat(window.giveBack(0)).as("nothing to tell").isZero();
  }
}
