package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.proxy.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.proxy.testing.http2.Frames;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Errors that each cost a stream add up. */
final class PeerFaultsTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withMaxHeaderListBytes(1_000)
          .withAbuse(new AbuseLimits(Duration.ofSeconds(30), 100, 10_000, 64, 1 << 20));

  @Test
  void aRequestWhoseFieldsAreTooLargeCountsAsAReset() {
    String large = "x".repeat(1_000);
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      for (int i = 0; i < 99; i++) {
        peer.send(Frames.requestWith(1 + 2 * i, Frames.END_STREAM, "a", large));
        assertThat(peer.answer()).isEqualTo("HEADERS " + (1 + 2 * i) + " end");
      }

      peer.send(Frames.requestWith(199, Frames.END_STREAM, "a", large));
      assertThat(peer.answer()).isEqualTo("HEADERS 199 end, GOAWAY 199 ENHANCE_YOUR_CALM");
      assertThat(peer.isOpen()).isFalse();
    }
  }
}
