package io.outrigger.proxy.forward;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TimeoutFieldsTest {
  private final TimeoutFields fields = new TimeoutFields();

  @Test
  void aLimitThatComesAgainIsTheSameField() {
    var first = fields.ofLimit(300_000_000_000L);

    assertThat(first).hasToString("grpc-timeout=300000m");
    assertThat(fields.ofLimit(300_000_000_000L)).isSameAs(first);
  }

  @Test
  void everyLimitIsItsOwnHoweverManyThereAre() {
    for (long nanos = 1; nanos < 1_000; nanos++) {
      assertThat(fields.ofLimit(nanos)).hasToString("grpc-timeout=" + nanos + "n");
      assertThat(fields.ofLimit(nanos << 33)).hasToString(TimeoutFields.of(nanos << 33).toString());
    }
  }
}
