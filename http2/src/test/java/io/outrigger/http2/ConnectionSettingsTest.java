package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import io.outrigger.http2.ConnectionSettings.Windows;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The valid limits for a peer. */
final class ConnectionSettingsTest {
  private static ConnectionSettings settings(int streams, int streamWindow, int window, int list) {
    return ConnectionSettings.DEFAULT
        .withMaxConcurrentStreams(streams)
        .withWindows(new Windows(streamWindow, streamWindow, window))
        .withMaxHeaderListBytes(list);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 65535, 1", "2147483647, 2147483647, 2147483647, 2147483647"})
  void leastAndGreatestValuesAreTaken(int streams, int streamWindow, int window, int list) {
    ConnectionSettings settings = settings(streams, streamWindow, window, list);

    assertThat(settings.maxConcurrentStreams()).isEqualTo(streams);
    assertThat(settings.windows()).isEqualTo(new Windows(streamWindow, streamWindow, window));
    assertThat(settings.maxHeaderListBytes()).isEqualTo(list);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0, 65535, 1, max concurrent streams is negative",
    "0, -1, 65535, 1, stream window is negative",
    "0, 0, 65534, 1, connection window is below 65535",
    "0, 0, 65535, 0, max header list is not positive",
  })
  void whatNoPeerCouldBeToldIsRefused(
      int streams, int streamWindow, int window, int list, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(streams, streamWindow, window, list))
        .withMessage(message);
  }

  @Test
  void theWidestWindowOfAStreamIsNotBelowItsFirst() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Windows(2, 1, 65_535))
        .withMessage("widest stream window is below the first");
  }

  @Test
  void eachChangeLeavesAllElseAsItWas() {
    var timeouts = new Timeouts(Duration.ZERO, Duration.ZERO, Duration.ZERO);
    var memory = new FakeMemory();
    var abuse = new AbuseLimits(Duration.ZERO, 1, 2, 3, 4);

    ConnectionSettings changed =
        ConnectionSettings.DEFAULT
            .withMaxHeaderListBytes(5)
            .withMaxConcurrentStreams(1)
            .withWindows(new Windows(2, 3, 65_536))
            .withTimeouts(timeouts)
            .withMemory(memory)
            .withAbuse(abuse);

    assertThat(changed)
        .isEqualTo(
            new ConnectionSettings(1, 5, new Windows(2, 3, 65_536), timeouts, abuse, memory));
    assertThat(ConnectionSettings.DEFAULT.withMaxHeaderListBytes(5).maxConcurrentStreams())
        .isEqualTo(10_000);
  }
}
