package io.outrigger.dataplane.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.upstream.UpstreamSettings.KeepAlive;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A8 "Basic Keepalive": a backend that complains of PINGs gets fewer. */
final class KeepAliveTimeTest {
  private static final KeepAlive TEN = new KeepAlive(Duration.ofSeconds(10), Duration.ofSeconds(2));

  private final KeepAliveTime time = new KeepAliveTime(Optional.of(TEN));

  private long seconds() {
    return time.current().orElseThrow().time().toSeconds();
  }

  @Test
  void eachConnectionThatIsEndedForPingsDoublesTheTime() {
    time.onTooManyPings(TEN, "10.0.0.1:80");
    assertThat(seconds()).isEqualTo(20);

    time.onTooManyPings(time.current().orElseThrow(), "10.0.0.1:80");
    assertThat(seconds()).isEqualTo(40);
    assertThat(time.current().orElseThrow().timeout()).isEqualTo(TEN.timeout());
  }

  @Test
  void connectionsOfSeveralLoopsThatEndTogetherDoubleItOnce() {
    time.onTooManyPings(TEN, "10.0.0.1:80");
    time.onTooManyPings(TEN, "10.0.0.1:80");

    assertThat(seconds()).isEqualTo(20);
  }

  @Test
  void beyondTwoHoursItStays() {
    for (int i = 0; i < 100; i++) {
      time.onTooManyPings(time.current().orElseThrow(), "10.0.0.1:80");
    }

    assertThat(seconds()).isBetween(7_200L, 14_400L);
  }
}
