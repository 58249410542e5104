package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.PeerErrors.EndedCount;
import org.junit.jupiter.api.Test;

final class PeerErrorsTest {
  private final PeerErrors errors = new PeerErrors();

  @Test
  void connectionsAreCountedBySideAndError() {
    errors.onConnectionEnded(true, Http2Error.ENHANCE_YOUR_CALM, "1.2.3.4:5", "too many resets");
    errors.onConnectionEnded(true, Http2Error.ENHANCE_YOUR_CALM, "1.2.3.4:6", "too many resets");
    errors.onConnectionEnded(false, Http2Error.PROTOCOL_ERROR, "10.0.0.1:80", "odd frame");
    errors.onConnectionEnded(false, Http2Error.NO_ERROR, "10.0.0.1:80", "draining");

    assertThat(errors.ended())
        .containsExactly(
            new EndedCount(false, Http2Error.PROTOCOL_ERROR, 1),
            new EndedCount(false, Http2Error.ENHANCE_YOUR_CALM, 0),
            new EndedCount(true, Http2Error.ENHANCE_YOUR_CALM, 2));
    assertThat(errors.count()).isEqualTo(3);
  }

  @Test
  void theLastErrorIsThereOnce() {
    errors.onRequestRefused("1.2.3.4:5", "te is not trailers");
    errors.onConnectionEnded(false, Http2Error.PROTOCOL_ERROR, "10.0.0.1:80", "odd frame");

    assertThat(errors.takeLast()).contains("connection of backend 10.0.0.1:80 ended: odd frame");
    assertThat(errors.takeLast()).isEmpty();
  }
}
