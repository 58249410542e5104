package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.PeerErrors.EndedCount;
import io.outrigger.http2.PeerErrors.Side;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

final class PeerErrorsTest {
  private final PeerErrors errors = new PeerErrors();

  @Test
  void connectionsAreCountedBySideAndError() {
    errors.onConnectionEnded(
        Side.APP, Http2Error.ENHANCE_YOUR_CALM, "1.2.3.4:5", "too many resets");
    errors.onConnectionEnded(
        Side.APP, Http2Error.ENHANCE_YOUR_CALM, "1.2.3.4:6", "too many resets");
    errors.onConnectionEnded(Side.BACKEND, Http2Error.PROTOCOL_ERROR, "10.0.0.1:80", "odd frame");
    errors.onConnectionEnded(Side.BACKEND, Http2Error.NO_ERROR, "10.0.0.1:80", "draining");

    assertThat(errors.ended())
        .containsExactly(
            new EndedCount(Side.APP, Http2Error.ENHANCE_YOUR_CALM, 2),
            new EndedCount(Side.CALLER, Http2Error.ENHANCE_YOUR_CALM, 0),
            new EndedCount(Side.BACKEND, Http2Error.PROTOCOL_ERROR, 1),
            new EndedCount(Side.BACKEND, Http2Error.ENHANCE_YOUR_CALM, 0));
    assertThat(errors.count()).isEqualTo(3);
  }

  @Test
  void aClosedSocketHasATextToo() {
    assertThat(PeerErrors.text(null)).isEqualTo("a closed socket");
    assertThat(PeerErrors.text(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9001)))
        .isEqualTo("127.0.0.1:9001");
  }

  @Test
  void theLastErrorIsThereOnce() {
    errors.onRequestRefused(Side.APP, "1.2.3.4:5", "te is not trailers");
    errors.onConnectionEnded(Side.BACKEND, Http2Error.PROTOCOL_ERROR, "10.0.0.1:80", "odd frame");

    assertThat(errors.takeLast()).contains("connection of backend 10.0.0.1:80 ended: odd frame");
    assertThat(errors.takeLast()).isEmpty();
  }
}
