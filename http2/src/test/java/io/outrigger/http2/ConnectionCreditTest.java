package io.outrigger.http2;

import static io.outrigger.http2.testing.Frames.data;
import static io.outrigger.http2.testing.Frames.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The credit of a connection does not depend on how its streams end. */
final class ConnectionCreditTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT.withWindows(new Windows(60_000, 60_000, 65_535));

  @Conformance("SC-38")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void streamsThatStandStillLeaveTheConnectionToOthersHoweverShortMemoryIs(boolean isShort) {
    var memory = new FakeMemory();
    memory.isShort = isShort;
    ConnectionSettings settings = SETTINGS.withMemory(memory);
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      for (int id = 1; id <= 9; id += 2) {
        peer.send(request(id));
        peer.send(PeerErrorTest.manyData(id, 48_000));
        assertThat(peer.answer()).startsWith("WINDOW_UPDATE 0 ");
      }
      assertThat(peer.events.streams)
          .allSatisfy(stream -> assertThat(stream.held).isEqualTo(48_000));
    }
  }

  @Test
  void creditIsToldAtHalfOfTheWindow() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.events.onStream = stream -> stream.holds = true;
      peer.send(request(1), data(1, 0, new byte[16_384]), data(1, 0, new byte[16_383]));
      assertThat(peer.answer()).isEmpty();

      peer.send(data(1, 0, (byte) 1));
      assertThat(peer.answer()).isEqualTo("WINDOW_UPDATE 0 32768");
    }
  }
}
