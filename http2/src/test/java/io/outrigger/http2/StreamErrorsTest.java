package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Stream errors are counted. */
final class StreamErrorsTest {
  private static final ConnectionSettings SETTINGS =
      ConnectionSettings.DEFAULT
          .withMaxHeaderListBytes(1_000)
          .withAbuse(new AbuseLimits(Duration.ofSeconds(30), 100, 10_000, 64, 1 << 20));

  @Test
  void aRequestThatIsRefusedIsReportedWithRuleAndField() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      peer.send(Frames.requestWith(1, Frames.END_STREAM, "te", "gzip", "x", "fine"));

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 PROTOCOL_ERROR");
      assertThat(peer.events.refusals)
          .singleElement()
          .asString()
          .startsWith("te is not trailers in :method=")
          .endsWith("x=fine")
          .doesNotContain("gzip");
    }
  }

  /** gRPC permits to strip such blanks; no library rejects them. */
  @Test
  void blanksAroundAValueAreStrippedAndTheTableStaysInStep() {
    try (RawPeer peer = RawPeer.client(SETTINGS)) {
      byte[] field = {0x40, 1, 'x', 5, ' ', '\t', 'v', ' ', ' '}; // is added to the table
      byte[] block = Frames.join(Frames.block(Frames.REQUEST), field, new byte[] {(byte) 0xbe});
      peer.send(Frames.frame(Frames.HEADERS, Frames.END_HEADERS | Frames.END_STREAM, 1, block));

      assertThat(peer.events.stream(0).headers.get(0).toString()).endsWith("x=v, x=v");
    }
  }

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
