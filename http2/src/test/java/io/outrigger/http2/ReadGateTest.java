package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.http2.testing.Frames;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pausing and resuming reads of an app's socket. */
final class ReadGateTest {
  private final RawPeer peer = RawPeer.client();

  @AfterEach
  void close() {
    peer.close();
  }

  @Test
  void itTellsHowManyStreamsThePeerHasOpened() {
    peer.send(Frames.wholeRequest(1), Frames.wholeRequest(3));
    assertThat(peer.connection.gate().startedStreams()).isEqualTo(2);
  }

  @Test
  void whoFindsNoBufferIsReadAgainInAMoment() {
    ReadGate gate = peer.connection.gate();
    gate.onNoBuffer();
    assertThat(peer.channel.config().isAutoRead()).isFalse();
    peer.advance(Duration.ofMillis(19));
    gate.pause(false); // a resume by the ledger does not end the wait for a buffer
    assertThat(peer.channel.config().isAutoRead()).isFalse();
    peer.advance(Duration.ofMillis(1));
    assertThat(peer.channel.config().isAutoRead()).isTrue();
  }

  @Test
  void whoIsPausedMeanwhileStaysSo() {
    ReadGate gate = peer.connection.gate();
    gate.onNoBuffer();
    gate.pause(true);
    peer.advance(Duration.ofMillis(20));
    assertThat(peer.channel.config().isAutoRead()).isFalse();
    gate.pause(false);
    assertThat(peer.channel.config().isAutoRead()).isTrue();
  }

  @Test
  void whoIsGoneMeanwhileIsNotReadAgain() {
    peer.connection.gate().onNoBuffer();
    peer.channel.close();
    peer.advance(Duration.ofMillis(20));
    assertThat(peer.channel.config().isAutoRead()).isFalse();
  }
}
