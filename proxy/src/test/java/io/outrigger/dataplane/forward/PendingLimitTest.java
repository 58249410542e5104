package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;

class PendingLimitTest {
  private final PendingLimit limit = new PendingLimit(2, 10);

  @Conformance("SC-22")
  @Test
  void bytesFillTheBoundAndNoMore() {
    assertThat(limit.hold(7)).isTrue();
    assertThat(limit.hold(3)).isTrue();
    assertThat(limit.hold(1)).isFalse();
    assertThat(limit.bytes()).isEqualTo(10);

    limit.letGo(4);

    assertThat(limit.bytes()).isEqualTo(6);
    assertThat(limit.hold(4)).isTrue();
  }

  @Conformance("SC-22")
  @Test
  void requestsFillTheBoundAndNoMore() {
    assertThat(limit.enter()).isTrue();
    assertThat(limit.enter()).isTrue();
    assertThat(limit.enter()).isFalse();
    assertThat(limit.requests()).isEqualTo(2);

    limit.leave();

    assertThat(limit.enter()).isTrue();
  }
}
