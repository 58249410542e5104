package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.SocketView.Streams;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * A stream has succeeded once the response has ended (A14), on the client's and on the server's
 * side.
 */
final class SocketViewTest {
  @Test
  void bothSidesCountAStreamWhoseResponseHasEnded() {
    try (Wire wire = Wire.open()) {
      wire.request(POST, true);
      wire.run();
      assertThat(client(wire)).isEqualTo(new Streams(1, 0, 0));
      assertThat(server(wire)).isEqualTo(new Streams(1, 0, 0));

      wire.serverEvents.stream(0).stream().sendHeaders(OK, true);
      wire.run();

      assertThat(client(wire)).isEqualTo(new Streams(1, 1, 0));
      assertThat(server(wire)).isEqualTo(new Streams(1, 1, 0));
    }
  }

  @Test
  void aStreamThatIsResetBeforeItsResponseHasEndedHasFailed() {
    try (Wire wire = Wire.open()) {
      RecordingStream byClient = wire.request(POST, false);
      wire.request(POST, false);
      wire.run();

      byClient.stream().reset(Http2Error.CANCEL);
      wire.serverEvents.stream(1).stream().reset(Http2Error.INTERNAL_ERROR);
      wire.run();

      assertThat(client(wire)).isEqualTo(new Streams(2, 0, 2));
      assertThat(server(wire)).isEqualTo(new Streams(2, 0, 2));
    }
  }

  @Test
  void aResponseThatEndsBeforeItsRequestHasSucceeded() {
    try (Wire wire = Wire.open()) {
      RecordingStream call = wire.request(POST, false);
      wire.run();
      wire.serverEvents.stream(0).stream().sendHeaders(OK, true);
      wire.run();

      call.stream().reset(Http2Error.CANCEL);
      wire.run();

      assertThat(client(wire)).isEqualTo(new Streams(1, 1, 0));
      assertThat(server(wire)).isEqualTo(new Streams(1, 1, 0));
    }
  }

  @Test
  void eachPingThatAsksForThePeerCounts() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT)) {
      peer.connection.keepAlive(Duration.ofSeconds(10), Duration.ofSeconds(2));
      peer.open(POST, false);
      assertThat(peer.connection.view(7).keepAlivesSent()).isZero();

      peer.advance(Duration.ofSeconds(10));

      assertThat(peer.connection.view(7).keepAlivesSent()).isEqualTo(1);
      assertThat(peer.connection.view(7).id()).isEqualTo(7);
    }
  }

  private static Streams client(Wire wire) {
    return wire.client.view(1).streams();
  }

  private static Streams server(Wire wire) {
    return wire.server.view(1).streams();
  }
}
