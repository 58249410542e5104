package io.outrigger.http2;

import static io.outrigger.http2.Messages.OK;
import static io.outrigger.http2.Messages.POST;
import static io.outrigger.http2.Messages.TRAILERS;
import static io.outrigger.http2.Messages.text;
import static io.outrigger.http2.testing.Frames.INITIAL_WINDOW_SIZE;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static io.outrigger.http2.testing.Frames.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order in which streams send, and the count of bytes that wait. */
final class SendSchedulerTest {
  private static final int READ_BUFFER = 64 << 10;

  /**
   * A server whose requests on streams 1, 3, ... have ended and that has sent their response heads.
   */
  private static RawPeer answering(ConnectionSettings settings, int window, int streams) {
    RawPeer peer = RawPeer.client(settings);
    peer.send(settings(INITIAL_WINDOW_SIZE, window));
    for (int i = 0; i < streams; i++) {
      peer.send(wholeRequest(1 + 2 * i));
      peer.events.stream(i).stream().sendHeaders(OK, false);
    }
    var unused = peer.read();
    return peer;
  }

  private static RawPeer answering(int window, int streams) {
    return answering(ConnectionSettings.DEFAULT, window, streams);
  }

  private static SocketStream stream(RawPeer peer, int index) {
    return peer.events.stream(index).stream();
  }

  private static ByteBuf bytes(int count) {
    return Unpooled.wrappedBuffer(new byte[count]);
  }

  @Test
  void anEndWithoutContentEndsItsStreamAtOnce() {
    try (RawPeer peer = answering(100, 1)) {
      assertThat(stream(peer, 0).hasSentEnd()).isFalse();
      assertThat(stream(peer, 0).isOpenForSending()).isTrue();

      stream(peer, 0).sendData(Unpooled.EMPTY_BUFFER, true);

      assertThat(stream(peer, 0).hasSentEnd()).isTrue();
      assertThat(stream(peer, 0).isOpenForSending()).isFalse();
      assertThat(peer.connection.activeStreams()).isZero();
      assertThat(peer.answer()).isEqualTo("DATA 1 (0) end");
    }
  }

  @Test
  void noContentIsNoFrame() {
    try (RawPeer peer = answering(100, 1)) {
      stream(peer, 0).sendData(Unpooled.EMPTY_BUFFER, false);

      assertThat(peer.answer()).isEmpty();
      assertThat(stream(peer, 0).isOpenForSending()).isTrue();
    }
  }

  @Test
  void whatFillsFramesExactlyHasNoEmptyOneBehindIt() {
    try (RawPeer peer = answering(READ_BUFFER, 1)) {
      stream(peer, 0).sendData(bytes(2 * 16_384), true);
      peer.channel.flushOutbound(); // an embedded channel ends a turn within a write

      assertThat(peer.answer()).isEqualTo("DATA 1 (16384), DATA 1 (16384) end");
    }
  }

  @Test
  void whoCanSendNothingIsNotToldOfBytesThatWent() {
    try (RawPeer peer = RawPeer.server(ConnectionSettings.DEFAULT, INITIAL_WINDOW_SIZE, 0)) {
      List<Integer> told = new ArrayList<>();
      var listener =
          new RecordingStream() {
            @Override
            public void onDataSent(int count) {
              told.add(count);
            }
          };
      listener.stream = peer.connection.openStream(listener);
      Http2Stream call = listener.stream();
      call.sendHeaders(POST, false);
      call.sendData(text("0123456789"), false);
      assertThat(told).isEmpty();

      peer.send(windowUpdate(1, 4));
      assertThat(peer.answer()).endsWith("DATA 1 (4)");
      assertThat(told).containsExactly(4);
    }
  }

  /**
   * Only streams that could send now are in the line; other streams would be checked without a
   * result.
   */
  @Test
  void whoHasNothingToSendOrNoWindowStandsInNoLine() {
    try (RawPeer peer = answering(70_000, 3)) {
      stream(peer, 0).sendData(bytes(70_000), false);
      assertThat(peer.connection.scheduler.queuedStreams()).isEqualTo(1); // its window is closed

      peer.send(windowUpdate(3, 1));
      assertThat(peer.connection.scheduler.queuedStreams()).as("nothing to send").isEqualTo(1);

      peer.send(settings(INITIAL_WINDOW_SIZE, 0));
      stream(peer, 2).sendData(text("waits"), false);
      assertThat(peer.connection.scheduler.queuedStreams()).as("no window").isEqualTo(1);

      peer.send(windowUpdate(5, 1));
      assertThat(peer.connection.scheduler.queuedStreams()).isEqualTo(2);
    }
  }

  @Test
  void aWindowThatIsTakenAwayInTheLineSendsNoEmptyFrame() {
    try (RawPeer peer = answering(65_540, 1)) {
      stream(peer, 0).sendData(bytes(66_000), false);
      peer.channel.flushOutbound();
      // 5 bytes of the stream's window are left.
      assertThat(peer.answer()).endsWith("DATA 1 (16383)");
      assertThat(peer.connection.scheduler.queuedStreams()).isEqualTo(1);

      peer.send(settings(INITIAL_WINDOW_SIZE, 65_535));
      peer.send(windowUpdate(0, 1_000));
      assertThat(peer.answer()).isEqualTo("SETTINGS ack");

      peer.send(windowUpdate(1, 3));
      assertThat(peer.answer()).isEqualTo("DATA 1 (3)");
    }
  }

  @Test
  void trailersLeaveTogetherWithTheLastOfTheContent() {
    try (RawPeer peer = answering(0, 1)) {
      stream(peer, 0).sendData(text("last"), false);
      stream(peer, 0).sendHeaders(TRAILERS, true);

      peer.send(windowUpdate(1, 4));
      peer.channel.runPendingTasks();

      assertThat(peer.channel.outboundMessages()).hasSize(1); // one flush
      assertThat(peer.answer()).isEqualTo("DATA 1 (4), HEADERS 1 end");
    }
  }

  @Test
  void anEndWithoutContentWaitsBehindAHeadThatWaits() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(wholeRequest(1));
      peer.socketTakes(false);
      stream(peer, 0).sendHeaders(OK, false);
      stream(peer, 0).sendData(Unpooled.EMPTY_BUFFER, true);
      assertThat(peer.answer()).isEmpty();
      assertThat(stream(peer, 0).hasSentEnd()).isFalse();

      peer.socketTakes(true);

      assertThat(peer.answer()).isEqualTo("HEADERS 1, DATA 1 (0) end");
      assertThat(stream(peer, 0).hasSentEnd()).isTrue();
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  /** The socket has room again, but the turn in which the head is sent has not ended. */
  @Test
  void contentDoesNotOvertakeAHeadThatWaits() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(wholeRequest(1));
      peer.socketTakes(false);
      stream(peer, 0).sendHeaders(OK, false);
      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
      stream(peer, 0).sendData(text("content"), true);

      assertThat(peer.answer()).isEqualTo("HEADERS 1, DATA 1 (7) end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void trailersWaitForTheSocketThoughTheHeadOnceDidToo() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(wholeRequest(1));
      peer.socketTakes(false);
      stream(peer, 0).sendHeaders(OK, false);
      peer.socketTakes(true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1");

      peer.socketTakes(false);
      stream(peer, 0).sendHeaders(TRAILERS, true);
      assertThat(peer.answer()).isEmpty();
      peer.socketTakes(true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1 end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void whoHasLeftTheLineCanJoinItAgain() {
    try (RawPeer peer = answering(70_000, 1)) {
      stream(peer, 0).sendData(bytes(66_000), false);
      peer.channel.flushOutbound();
      assertThat(peer.answer()).endsWith("DATA 1 (16383)");
      stream(peer, 0).dropPending();
      assertThat(peer.connection.scheduler.queuedStreams()).isZero();

      stream(peer, 0).sendData(text("instead"), false);
      assertThat(peer.connection.scheduler.queuedStreams()).isEqualTo(1);
      peer.send(windowUpdate(0, 100));
      assertThat(peer.answer()).isEqualTo("DATA 1 (7)");
    }
  }

  @Test
  void whoHasGoneStandsInNoLineOfHeads() {
    try (var loose = new LooseStreams()) {
      SendScheduler scheduler = loose.streams.scheduler();
      SocketStream stream = loose.open(1);
      loose.socketTakes(false);
      stream.sendHeaders(OK, false);
      stream.sendHeaders(TRAILERS, true); // queues the stream a second time
      assertThat(scheduler.canSend()).isFalse();
      loose.socketTakes(true);
      assertThat(scheduler.canSend()).isTrue();

      stream.reset(Http2Error.CANCEL);

      assertThat(scheduler.canSend()).isFalse();
    }
  }

  @Test
  void aHeadThatHasGoneLeavesNothingToSend() {
    try (var loose = new LooseStreams()) {
      SendScheduler scheduler = loose.streams.scheduler();
      SocketStream stream = loose.open(1);
      loose.socketTakes(false);
      stream.sendHeaders(OK, false);
      loose.socketTakes(true);

      scheduler.pump();

      assertThat(stream.waitingHead()).isNull();
      assertThat(scheduler.canSend()).isFalse();
    }
  }

  @Test
  void aRequestThatIsStillReadGetsItsTrailersOnce() {
    try (RawPeer peer = RawPeer.client()) {
      peer.send(settings(INITIAL_WINDOW_SIZE, 0), request(1));
      stream(peer, 0).sendHeaders(OK, false);
      stream(peer, 0).sendData(text("last"), false);
      stream(peer, 0).sendHeaders(TRAILERS, true);
      var unused = peer.read();

      peer.send(windowUpdate(1, 10));
      assertThat(peer.answer()).isEqualTo("DATA 1 (4), HEADERS 1 end");
      peer.send(windowUpdate(1, 10), settings(INITIAL_WINDOW_SIZE, 20));
      assertThat(peer.answer()).isEqualTo("SETTINGS ack");
    }
  }
}
