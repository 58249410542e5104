package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The valid limits for a peer. */
final class ConnectionSettingsTest {
  private static ConnectionSettings settings(
      int streams, int streamWindow, int window, int list, int frame) {
    return new ConnectionSettings(
        streams,
        streamWindow,
        streamWindow,
        window,
        list,
        frame,
        Timeouts.DEFAULT,
        ProcessMemory.UNLIMITED,
        AbuseLimits.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 65535, 1, 16384",
    "2147483647, 2147483647, 2147483647, 2147483647, 16777215",
  })
  void leastAndGreatestValuesAreTaken(
      int streams, int streamWindow, int window, int list, int frame) {
    ConnectionSettings settings = settings(streams, streamWindow, window, list, frame);

    assertThat(settings.maxConcurrentStreams()).isEqualTo(streams);
    assertThat(settings.streamWindow()).isEqualTo(streamWindow);
    assertThat(settings.connectionWindow()).isEqualTo(window);
    assertThat(settings.maxHeaderListBytes()).isEqualTo(list);
    assertThat(settings.maxFrameSize()).isEqualTo(frame);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0, 65535, 1, 16384, max concurrent streams is negative",
    "0, -1, 65535, 1, 16384, stream window is negative",
    "0, 0, 65534, 1, 16384, connection window is below 65535",
    "0, 0, 65535, 0, 16384, max header list is not positive",
    "0, 0, 65535, 1, 16383, max frame size is not in 16384..16777215",
    "0, 0, 65535, 1, 16777216, max frame size is not in 16384..16777215",
  })
  void whatNoPeerCouldBeToldIsRefused(
      int streams, int streamWindow, int window, int list, int frame, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(streams, streamWindow, window, list, frame))
        .withMessage(message);
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
            .withWindows(2, 3, 65_536)
            .withTimeouts(timeouts)
            .withMemory(memory)
            .withAbuse(abuse);

    assertThat(changed)
        .isEqualTo(new ConnectionSettings(1, 2, 3, 65_536, 5, 16_384, timeouts, memory, abuse));
    assertThat(ConnectionSettings.DEFAULT.withMaxHeaderListBytes(5).maxConcurrentStreams())
        .isEqualTo(10_000);
  }
}
