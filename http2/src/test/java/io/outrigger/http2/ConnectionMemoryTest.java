package io.outrigger.http2;

import static io.outrigger.http2.testing.Frames.END_HEADERS;
import static io.outrigger.http2.testing.Frames.HEADERS;
import static io.outrigger.http2.testing.Frames.frame;
import static io.outrigger.http2.testing.Frames.join;
import static io.outrigger.http2.testing.Frames.request;
import static io.outrigger.http2.testing.Frames.settings;
import static io.outrigger.http2.testing.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.MockTicker;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.http2.ConnectionSettings.Timeouts;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Memory that a connection holds for its peer is counted and released; too much of it ends the
 * connection.
 */
final class ConnectionMemoryTest {
  private static final int MIB = 1 << 20;
  private static final HeaderList OK = HeaderList.builder(1).add(KnownName.STATUS, "200").build();
  private static final HeaderList TRAILERS =
      HeaderList.builder(1).add(KnownName.GRPC_STATUS, "0").build();

  private final FakeMemory memory = new FakeMemory();

  private final ConnectionSettings settings =
      ConnectionSettings.DEFAULT
          .withMemory(memory)
          .withTimeouts(
              new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(9)));

  private static byte[] open(int bytes) {
    byte[] part = new byte[bytes];
    Arrays.fill(part, (byte) 0x10); // fields with an empty name
    return part;
  }

  @Test
  void aFrameThatIsNotEndedInTimeEndsTheConnection() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(Arrays.copyOf(frame(HEADERS, END_HEADERS, 1, open(12_000)), 1_000));

      peer.advance(Duration.ofSeconds(1));
      peer.advance(Duration.ofSeconds(4));
      assertThat(peer.isOpen()).isTrue();
      for (int i = 0; i < 3; i++) {
        peer.advance(Duration.ofSeconds(1));
      }

      assertThat(peer.answer()).endsWith("ENHANCE_YOUR_CALM");
    }
  }

  @Test
  void aHeaderBlockThatIsNotEndedInTimeEndsTheConnectionHoweverManyFramesItHas() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(frame(HEADERS, 0, 1, open(100)));
      for (int i = 0; i < 8; i++) {
        peer.advance(Duration.ofSeconds(1));
        peer.send(frame(Frames.CONTINUATION, 0, 1, open(10)));
      }

      assertThat(peer.answer()).endsWith("ENHANCE_YOUR_CALM");
    }
  }

  @Test
  void framesThatEndAndDataThatIsSlowAreNotTimed() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(request(1));
      byte[] data = Frames.data(1, 0, new byte[100]);
      peer.send(Arrays.copyOf(data, 20));
      for (int i = 0; i < 60; i++) {
        peer.advance(Duration.ofSeconds(1));
      }
      peer.send(Arrays.copyOfRange(data, 20, data.length));
      for (int i = 0; i < 20; i++) {
        byte[] ping = Frames.ping(i);
        peer.send(Arrays.copyOf(ping, 12));
        peer.advance(Duration.ofSeconds(2));
        peer.send(Arrays.copyOfRange(ping, 12, ping.length));
      }

      assertThat(peer.isOpen()).isTrue();
      assertThat(peer.answer()).doesNotContain("GOAWAY");
    }
  }

  /**
   * Useful frames of an earlier period must not offset control frames of a later period; otherwise
   * a peer could exceed the limit without a consequence.
   */
  @Test
  void usefulFramesOfAnEarlierPeriodPayForNothing() {
    var limits = settings.withAbuse(new AbuseLimits(Duration.ofSeconds(30), 100, 200, 64, MIB));
    try (RawPeer peer = RawPeer.client(limits)) {
      for (int i = 0; i < 300; i++) {
        peer.send(wholeRequest(1 + 2 * i));
        peer.events.stream(i).stream().sendHeaders(OK, true);
      }
      for (int i = 0; i < 33; i++) {
        peer.advance(Duration.ofSeconds(1));
      }
      var unused = peer.read();

      int pings = 0;
      while (peer.isOpen() && pings < 1_000) {
        peer.send(Frames.ping(pings++));
      }

      assertThat(pings).isLessThan(230);
    }
  }

  /** A frame may have 2,730 values, each of which is applied to each stream. */
  @Test
  void windowsOfAFrameAreSetInOrderAndEachMustFit() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(wholeRequest(1));
      RecordingStream served = peer.events.stream(0);
      served.stream().sendHeaders(OK, false);
      peer.send(
          settings(
              Frames.INITIAL_WINDOW_SIZE, 4,
              Frames.INITIAL_WINDOW_SIZE, 70_000,
              Frames.INITIAL_WINDOW_SIZE, 5));
      served.stream().sendData(Unpooled.copiedBuffer(new byte[10]), true);
      assertThat(peer.answer()).isEqualTo("HEADERS 1, SETTINGS ack, DATA 1 (5)");

      peer.send(wholeRequest(3), Frames.windowUpdate(3, Integer.MAX_VALUE - 5));
      peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 6, Frames.INITIAL_WINDOW_SIZE, 5));
      assertThat(peer.answer()).endsWith("FLOW_CONTROL_ERROR");
    }
  }

  @Test
  void aRequestWaitsForASocketThatTakesNothing() {
    try (RawPeer peer = RawPeer.server(settings)) {
      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);

      assertThat(peer.connection.streams.canOpen()).isFalse();
      assertThat(peer.events.events).doesNotContain("capacity");

      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
      peer.channel.runPendingTasks();
      assertThat(peer.events.events).contains("capacity");
      assertThat(peer.connection.streams.canOpen()).isTrue();
    }
  }

  @Test
  void headAndTrailersOfAResponseWaitForTheSocketInOrder() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(wholeRequest(1), wholeRequest(3));
      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
      Http2Stream first = peer.events.stream(0).stream();
      first.sendHeaders(OK, false);
      first.sendData(Unpooled.copiedBuffer(new byte[4]), false);
      first.sendHeaders(TRAILERS, true);
      Http2Stream second = peer.events.stream(1).stream();
      second.sendHeaders(OK, false);
      second.sendHeaders(TRAILERS, true);
      assertThat(peer.answer()).isEmpty();

      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
      peer.channel.runPendingTasks();

      assertThat(peer.answer())
          .isEqualTo("HEADERS 1, HEADERS 3, HEADERS 3 end, DATA 1 (4), HEADERS 1 end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  // Peers that do not read.

  @Test
  void aPeerThatReadsNothingIsGivenUp() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().takes = false;
      peer.send(Frames.ping(1));
      for (int i = 0; i < 9; i++) {
        peer.advance(Duration.ofSeconds(1));
      }
      assertThat(peer.isOpen()).isTrue();

      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events)
          .containsExactly("ready", "closed: nothing of what was sent was read for 9000ms");
    }
  }

  /** Frames written meanwhile do not count as progress of the peer. */
  @Test
  void aPeerThatReadsNothingIsGivenUpAlsoWhileMoreIsWritten() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().takes = false;
      for (int i = 0; i < 11; i++) {
        peer.send(Frames.ping(i));
        peer.advance(Duration.ofSeconds(1));
      }

      assertThat(peer.isOpen()).isFalse();
    }
  }

  /** Two responses are accepted when one more is written; sent and waiting bytes are in one sum. */
  @Test
  void aPeerThatReadsSlowlyIsNotGivenUp() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().takes = false;
      for (int i = 0; i < 20; i++) {
        peer.send(join(Frames.ping(1), Frames.ping(2)));
      }
      for (int i = 0; i < 15; i++) {
        peer.send(Frames.ping(3));
        peer.socket().takeFirst(1);
        peer.advance(Duration.ofSeconds(1));
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void aPeerThatReadsPartsOfAMessageIsNotGivenUp() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().takes = false;
      peer.send(Frames.ping(1));
      for (int i = 0; i < 15; i++) {
        peer.socket().takeBytes(1);
        peer.advance(Duration.ofSeconds(1));
      }
      assertThat(peer.isOpen()).isTrue();

      for (int i = 0; i < 10; i++) {
        peer.advance(Duration.ofSeconds(1));
      }
      assertThat(peer.isOpen()).isFalse();
    }
  }

  /**
   * Buffer objects are reused: the next waiting message may be the same object as the one before.
   */
  @Test
  void aPeerThatReadsTheSameBufferAgainAndAgainIsNotGivenUp() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().takes = false;
      peer.send(wholeRequest(1));
      Http2Stream served = peer.events.stream(0).stream();
      served.sendHeaders(OK, false);
      ByteBuf same = peer.buffers.copy(new byte[3_000]);
      for (int i = 0; i < 20; i++) {
        served.sendData(same.retain(), false); // two messages, the first of which is its header
      }
      same.release();
      peer.socket().takeFirst(1);
      for (int i = 0; i < 15; i++) {
        peer.advance(Duration.ofSeconds(1));
        peer.socket().takeFirst(2);
      }

      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Conformance("A50-12")
  @Test
  void aConnectionThatFindsNoBufferForItsFramesIsGivenUp() {
    var buffers = new ScarceBuffers();
    try (RawPeer peer = RawPeer.server(settings)) {
      RecordingStream call = peer.open(Messages.POST, false);
      var unused = peer.read();
      peer.channel.config().setAllocator(buffers);
      buffers.most(0);
      peer.send(Frames.ping(1));
      for (int i = 0; i < 6; i++) {
        assertThat(peer.isOpen()).isTrue();
        assertThat(peer.answer()).isEmpty();
        peer.advance(Duration.ofSeconds(1));
      }

      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.events)
          .containsExactly("ready", "closed: no memory for what is to be sent");
      assertThat(call.story()).isEqualTo("overload lost");
    }
  }

  /** The end does not count against the backend. */
  @Conformance("A50-12")
  @ParameterizedTest(name = "for a frame to be written: {0}")
  @ValueSource(booleans = {true, false})
  void streamsOfAConnectionThatLacksMemoryAreNotLostByTheBackend(boolean writes) {
    var buffers = new ScarceBuffers();
    try (RawPeer peer = RawPeer.server(settings)) {
      RecordingStream call = peer.open(Messages.POST, false);
      var unused = peer.read();
      if (writes) {
        peer.channel.config().setAllocator(buffers);
        buffers.most(0);
        buffers.jvmIsFull();
        peer.send(Frames.ping(1));
      } else {
        peer.channel.pipeline().fireExceptionCaught(new OutOfMemoryError("in a test"));
      }
      peer.channel.runPendingTasks();

      assertThat(call.story()).isEqualTo("overload lost");
      assertThat(peer.events.events).endsWith("closed: out of memory");
      assertThat(memory.failures).hasSize(1);
    }
  }

  @Test
  void framesAreSentAsSoonAsThereIsABuffer() {
    var buffers = new ScarceBuffers();
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.channel.config().setAllocator(buffers);
      for (int i = 0; i < 5; i++) {
        buffers.most(0);
        peer.send(Frames.ping(1));
        peer.advance(Duration.ofSeconds(4));
        assertThat(peer.channel.config().isAutoRead()).isFalse();
        assertThat(peer.answer()).isEmpty();

        buffers.plenty();
        peer.advance(Duration.ofMillis(SocketReads.WAIT_MILLIS));
        assertThat(peer.answer()).isEqualTo("PING ack");
        assertThat(peer.channel.config().isAutoRead()).isTrue();
      }
      assertThat(peer.isOpen()).isTrue();
    }
  }

  // Weight and end of a connection.

  @Test
  void anAppWeighsItsStreamsAndWhatWaitsOnThemInEitherDirection() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.events.onStream = stream -> stream.holds = true;
      long idle = holder(peer).weight();

      peer.send(request(1));
      long one = holder(peer).weight();
      assertThat(one - idle).isBetween(4_096L, 6_000L);
      peer.send(Frames.data(1, 0, new byte[10_000]));
      assertThat(holder(peer).weight() - one).isEqualTo(10_000);
      peer.events.stream(0).release();
      assertThat(holder(peer).weight()).isLessThanOrEqualTo(one + 100);

      peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 0), request(3));
      long two = holder(peer).weight();
      peer.events.stream(1).stream().sendHeaders(OK, false);
      peer.events.stream(1).stream().sendData(peer.buffers.copy(new byte[10_000]), false);
      var unused = peer.read();
      assertThat(holder(peer).weight() - two).isGreaterThanOrEqualTo(10_000);
      peer.events.stream(1).stream().reset(Http2Error.CANCEL);
      peer.events.stream(0).stream().reset(Http2Error.CANCEL);
      var unusedToo = peer.read();
      assertThat(holder(peer).weight()).isLessThanOrEqualTo(idle + 100);
    }
  }

  /** Reads from idle peers may be postponed, see {@link SocketReads}. */
  @Test
  void aConnectionIsIdleBeforeItsFirstCallAndTenSecondsAfterACall() {
    try (RawPeer peer = RawPeer.client(settings)) {
      assertThat(isIdle(peer)).isTrue();
      for (int id = 1; id < 5; id += 2) {
        peer.send(request(id));
        peer.events.stream(id / 2).stream().reset(Http2Error.CANCEL);
        for (int second = 0; second < 10; second++) {
          assertThat(isIdle(peer)).isFalse();
          peer.advance(Duration.ofSeconds(1));
        }
        peer.advance(Duration.ofSeconds(1));
        peer.advance(Duration.ofSeconds(1));
        assertThat(isIdle(peer)).isTrue();
      }
      var unused = peer.read();
    }
  }

  private static boolean isIdle(RawPeer peer) {
    SocketReads reads = SocketReads.of(peer.channel);
    peer.advance(Duration.ofMillis(1)); // into a new turn, of which others take 5 ms
    LoopTurn.Mark others =
        LoopTurn.of(peer.channel.eventLoop()).mark("others", () -> {}, now -> {});
    assertThat(others.postpone(() -> {})).isFalse();
    ((MockTicker) peer.channel.eventLoop().ticker()).advance(5, TimeUnit.MILLISECONDS);
    reads.reset(peer.channel.config());
    try {
      reads.allocate(peer.channel.alloc()).release();
      return false;
    } catch (SocketReads.NoBufferNow postponed) {
      return true;
    }
  }

  /** Memory that calls hold counts for the connections of their apps. */
  @Test
  void aConnectionToABackendWeighsOnlyWhatIsItsOwn() {
    try (RawPeer peer = RawPeer.server(settings, Frames.INITIAL_WINDOW_SIZE, 0)) {
      long idle = holder(peer).weight();
      RecordingStream call = peer.open(Messages.POST, false);
      for (int i = 0; i < 10; i++) {
        call.stream().sendData(peer.buffers.copy(new byte[10_000]), false);
      }
      var unused = peer.read();

      assertThat(call.stream().pendingBytes()).isPositive();
      assertThat(holder(peer).weight()).isLessThanOrEqualTo(idle + 100);
      assertThat(holder(peer).isShared()).isTrue();
    }
  }

  @Test
  void aConnectionThatIsEndedForMemoryIsToldWhyAndClosedAtOnce() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(request(1));
      assertThat(holder(peer).isShared()).isFalse();
      holder(peer).end();

      String reason = "memory is short (--max-memory) and this connection holds much of it";
      assertThat(peer.take().toString(StandardCharsets.UTF_8)).endsWith(reason);
      assertThat(peer.events.events).last().isEqualTo("closed: " + reason);
      assertThat(peer.answer()).endsWith("ENHANCE_YOUR_CALM");
      assertThat(peer.isOpen()).isFalse();
      assertThat(peer.events.stream(0).story()).endsWith("lost");
      assertThat(memory.holders).isEmpty();
    }
  }

  private MemoryHolder holder(RawPeer peer) {
    peer.channel.runPendingTasks();
    return memory.holder();
  }
}
