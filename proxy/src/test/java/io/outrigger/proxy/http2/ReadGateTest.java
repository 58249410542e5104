package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.proxy.testing.http2.Frames;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a connection counts as quiet, so that it does not keep those waiting that call. */
final class ReadGateTest {
  private static final Duration TICK = Duration.ofSeconds(1);

  private final RawPeer peer = RawPeer.client();

  @AfterEach
  void close() {
    peer.close();
  }

  private boolean isQuiet() {
    return peer.connection.gate().isQuiet();
  }

  @Test
  void itTellsHowManyStreamsThePeerHasOpened() {
    peer.send(Frames.wholeRequest(1), Frames.wholeRequest(3));
    assertThat(peer.connection.gate().startedStreams()).isEqualTo(2);
  }

  @Test
  void whoKnocksInACrowdIsHeldUntilItsTurn() {
    for (int i = 0; i < 8; i++) {
      peer.connection.gate().onKnock();
    }
    assertThat(peer.channel.config().isAutoRead()).isTrue();

    peer.connection.gate().onKnock();
    assertThat(peer.channel.config().isAutoRead()).isFalse();
    peer.advance(Duration.ofNanos(1));
    assertThat(peer.channel.config().isAutoRead()).isTrue();
  }

  @Test
  void whoFindsNoBufferIsReadAgainInAMoment() {
    ReadGate gate = peer.connection.gate();
    gate.onNoBuffer();
    assertThat(peer.channel.config().isAutoRead()).isFalse();
    peer.advance(Duration.ofMillis(19));
    gate.pause(false); // what the ledger says meanwhile does not end it
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

  @Test
  void whoHasNotCalledIsQuiet() {
    assertThat(isQuiet()).isTrue();
  }

  @Test
  void whoHasJustCalledIsNot() {
    peer.send(Frames.wholeRequest(1));
    peer.events.stream(0).stream().reset(Http2Error.CANCEL);
    assertThat(isQuiet()).isFalse();
    peer.advance(TICK);
    assertThat(isQuiet()).isFalse();
    peer.advance(TICK);
    assertThat(isQuiet()).isTrue();
  }

  @Test
  void whoWaitsForAnAnswerIsNot() {
    peer.send(Frames.wholeRequest(1));
    peer.advance(TICK);
    peer.advance(TICK);
    peer.advance(TICK);
    assertThat(isQuiet()).isFalse();
  }
}
