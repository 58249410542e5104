package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.HeaderField;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void commonLimitsHaveTheirFieldsSideBySide() {
    long[] seconds = {1, 2, 5, 10, 15, 30, 60};
    List<HeaderField> first = new ArrayList<>();
    for (long each : seconds) {
      first.add(fields.ofLimit(each * 1_000_000_000L));
    }

    for (int i = 0; i < seconds.length; i++) {
      assertThat(fields.ofLimit(seconds[i] * 1_000_000_000L)).isSameAs(first.get(i));
    }
  }
}
