package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A socket that is read to its end does not send a TCP reset before the peer has read the last
 * bytes.
 */
final class LingeringCloseTest {
  private static final int WINDOW = ConnectionSettings.DEFAULT.windows().connection();

  @ParameterizedTest
  @CsvSource({"true, NO_ERROR, 10", "true, INTERNAL_ERROR, 1", "false, CANCEL, 1"})
  void itsOwnHalfEndsAndThePeersMayGoOnForAWhile(boolean server, Http2Error error, int seconds) {
    try (RawPeer peer = open(server)) {
      peer.connection.close(error, "end");

      assertThat(peer.answer()).isEqualTo("GOAWAY 0 " + error);
      assertThat(peer.socket().isOutputShutdown()).isTrue();
      for (int i = 1; i < seconds; i++) {
        peer.advance(Duration.ofSeconds(1));
      }
      assertThat(peer.isOpen()).isTrue();
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.isOpen()).isFalse();
    }
  }

  private static RawPeer open(boolean server) {
    return server
        ? RawPeer.clientAtSocket(ConnectionSettings.DEFAULT)
        : RawPeer.serverAtSocket(ConnectionSettings.DEFAULT);
  }

  @Test
  void aBackendThatIsLeftInGoodOrderIsClosedAtOnce() {
    try (RawPeer peer = open(false)) {
      peer.connection.close(Http2Error.NO_ERROR, "end");

      assertThat(peer.answer()).isEqualTo("GOAWAY 0 NO_ERROR");
      assertThat(peer.socket().isOutputShutdown()).isFalse();
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @Test
  void itsHalfEndsOnlyWhenTheSocketHasTakenTheLastWord() {
    try (RawPeer peer = open(true)) {
      peer.socket().takes = false;
      peer.connection.close(Http2Error.INTERNAL_ERROR, "end");
      assertThat(peer.socket().isOutputShutdown()).isFalse();

      peer.socket().takes = true;
      peer.channel.flush();
      assertThat(peer.answer()).isEqualTo("GOAWAY 0 INTERNAL_ERROR");
      assertThat(peer.socket().isOutputShutdown()).isTrue();
    }
  }

  @Test
  void oneBufferIsReadInATurnOnceTheConnectionHasEnded() {
    try (RawPeer peer = open(true)) {
      SocketReads reads = SocketReads.of(peer.channel);
      reads.reset(peer.channel.config());
      reads.attemptedBytesRead(1);
      reads.lastBytesRead(1);
      reads.incMessagesRead(1);
      assertThat(reads.continueReading(() -> true)).isTrue();

      peer.connection.close(Http2Error.INTERNAL_ERROR, "end");
      peer.send(Frames.ascii("x"));

      assertThat(reads.continueReading(() -> true)).isFalse();
    }
  }

  @Test
  void aWindowOfBytesMayBeUnderWayAndMoreIsAFlood() {
    try (RawPeer peer = open(true)) {
      peer.connection.close(Http2Error.NO_ERROR, "end");
      byte[] part = new byte[1 << 20];
      for (int left = WINDOW; left > 0; left -= part.length) {
        peer.send(part);
      }
      assertThat(peer.isOpen()).isTrue();

      peer.send(Frames.ascii("x"));
      assertThat(peer.isOpen()).isFalse();
    }
  }
}
