package io.outrigger.proxy.http2;

import static io.outrigger.proxy.testing.http2.Frames.END_HEADERS;
import static io.outrigger.proxy.testing.http2.Frames.HEADERS;
import static io.outrigger.proxy.testing.http2.Frames.block;
import static io.outrigger.proxy.testing.http2.Frames.frame;
import static io.outrigger.proxy.testing.http2.Frames.join;
import static io.outrigger.proxy.testing.http2.Frames.request;
import static io.outrigger.proxy.testing.http2.Frames.requestWith;
import static io.outrigger.proxy.testing.http2.Frames.settings;
import static io.outrigger.proxy.testing.http2.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.proxy.http2.ConnectionSettings.AbuseLimits;
import io.outrigger.proxy.http2.ConnectionSettings.Timeouts;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.MemoryView.Ended;
import io.outrigger.proxy.memory.MemoryView.Holder;
import io.outrigger.proxy.memory.MemoryView.Limits;
import io.outrigger.proxy.memory.PeerSide;
import io.outrigger.proxy.testing.http2.Frames;
import java.time.Duration;
import java.util.Arrays;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a connection holds for its peer is counted, is given back, and ends it when it is much. */
final class ConnectionMemoryTest {
  private static final int MIB = 1 << 20;
  private static final HeaderList OK = HeaderList.builder(1).add(KnownName.STATUS, "200").build();
  private static final HeaderList TRAILERS =
      HeaderList.builder(1).add(KnownName.GRPC_STATUS, "0").build();

  private final MemoryLedger ledger = new MemoryLedger(new Limits(MIB, MIB, 2 * MIB));

  private final ConnectionSettings settings =
      ConnectionSettings.DEFAULT
          .withMemory(ledger)
          .withTimeouts(
              new Timeouts(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(9)));

  private long heapOf(ChannelHandler... before) {
    long others = ledger.heapBytes();
    var channel = new EmbeddedChannel(before);
    channel.pipeline().addLast(Http2Connection.client(settings, made -> new RecordingConnection()));
    long bytes = ledger.heapBytes() - others;
    channel.finishAndReleaseAll();
    return bytes;
  }

  @ParameterizedTest
  @CsvSource({"JDK, 5504", "OPENSSL, 13312"})
  void tlsIsCounted(SslProvider library, int bytes) throws SSLException {
    SslHandler tls =
        SslContextBuilder.forClient()
            .sslProvider(library)
            .build()
            .newHandler(ByteBufAllocator.DEFAULT);

    assertThat(heapOf(tls) - heapOf()).isEqualTo(bytes);
  }

  private static byte[] open(int bytes) {
    byte[] part = new byte[bytes];
    Arrays.fill(part, (byte) 0x10); // fields without a name
    return part;
  }

  @Test
  void partsOfAFrameAreCountedByWhatTheyTake() {
    try (RawPeer peer = RawPeer.client(settings)) {
      long before = ledger.directBytes();
      byte[] large = frame(HEADERS, END_HEADERS, 1, open(12_000));

      peer.send(Arrays.copyOf(large, 1_000));
      long small = ledger.directBytes() - before;
      peer.send(Arrays.copyOfRange(large, 1_000, 9_000));
      long more = ledger.directBytes() - before;

      assertThat(small).isBetween(991L, 2_048L); // and not all that the frame claims
      assertThat(more).isBetween(8_991L, 16_384L);
    }
    assertThat(ledger.directBytes()).as("once it is closed").isZero();
    assertThat(ledger.heapBytes()).isZero();
  }

  @Test
  void anOpenHeaderBlockIsCounted() {
    try (RawPeer peer = RawPeer.client(settings)) {
      long before = ledger.directBytes();

      peer.send(frame(HEADERS, 0, 1, open(10_000)));
      assertThat(ledger.directBytes() - before).isGreaterThanOrEqualTo(10_000);
    }
  }

  /** A field of one letter and no value takes some 150 bytes of the heap, and three of the wire. */
  @Test
  void aHeaderListIsCountedByWhatItTakesOnTheHeap() {
    try (RawPeer peer = RawPeer.client(settings)) {
      long before = ledger.heapBytes();
      byte[][] fields = new byte[1_000][];
      for (int i = 0; i < fields.length; i++) {
        fields[i] = new byte[] {0, 1, (byte) ('a' + i % 26), 0};
      }

      peer.send(frame(HEADERS, END_HEADERS, 1, join(block(Frames.REQUEST), join(fields))));
      assertThat(ledger.heapBytes() - before).isGreaterThan(150_000);

      peer.events.stream(0).stream().reset(Http2Error.CANCEL);
      assertThat(ledger.heapBytes()).isEqualTo(before);
    }
  }

  @Test
  void tablesOfThePeerAreCounted() {
    try (RawPeer peer = RawPeer.client(settings)) {
      long before = ledger.heapBytes();
      byte[][] fields = new byte[100][];
      for (int i = 0; i < fields.length; i++) {
        fields[i] = new byte[] {0x40, 1, 'a', 2, (byte) ('a' + i / 26), (byte) ('a' + i % 26)};
      }
      peer.send(frame(HEADERS, END_HEADERS, 1, join(block(Frames.REQUEST), join(fields))));
      peer.events.stream(0).stream().reset(Http2Error.CANCEL);

      assertThat(ledger.heapBytes() - before).isGreaterThan(100 * 150);
    }
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
      assertThat(ledger.directBytes()).isZero();
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

  /** A peer that pays in one period for what it does in a later one would never be too much. */
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

  @Test
  void theHeaviestStreamsAreToldToLetGo() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(request(1), request(3));
      peer.events.stream(0).stream().keeps(0, 100_000);
      peer.events.stream(1).stream().keeps(0, 800_000);
      peer.channel.runPendingTasks();

      assertThat(peer.answer()).isEqualTo("RST_STREAM 3 ENHANCE_YOUR_CALM");
      assertThat(peer.events.stream(1).story()).endsWith("reset ENHANCE_YOUR_CALM");
      assertThat(ledger.directBytes()).isEqualTo(100_000);
      assertThat(ledger.ended(PeerSide.APP, Ended.STREAM)).isEqualTo(1);
    }
  }

  /** What others hold does not come back when calls end that keep next to nothing. */
  @Test
  void lightStreamsOfASharedConnectionGoOn() {
    ledger.alsoHeld(() -> 950_000);
    try (RawPeer peer = RawPeer.server(settings)) {
      RecordingStream heavy = peer.open(Messages.POST, false);
      RecordingStream light = peer.open(Messages.POST, false);
      heavy.stream().keeps(0, 120_000);
      peer.channel.runPendingTasks();

      assertThat(heavy.story()).endsWith("reset ENHANCE_YOUR_CALM");
      assertThat(light.story()).isEmpty();
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void aConnectionWhoseOwnPartsAreHeavyEnds() {
    var small = new MemoryLedger(new Limits(MIB, 16_000, MIB));
    try (RawPeer peer = RawPeer.client(settings.withMemory(small))) {
      peer.send(request(1));
      peer.send(frame(HEADERS, 0, 3, open(9_000)));
      peer.channel.runPendingTasks();
      peer.send(frame(Frames.CONTINUATION, 0, 3, open(16_000)));
      assertThat(small.directBytes() + small.heapBytes()).isZero(); // at once: others need not end
      peer.channel.runPendingTasks();

      assertThat(peer.answer()).endsWith("ENHANCE_YOUR_CALM");
      assertThat(peer.events.stream(0).story()).endsWith("lost");
      assertThat(small.ended(PeerSide.APP, Ended.CONNECTION)).isEqualTo(1);
      assertThat(small.directBytes()).isZero();
    }
  }

  /** 2,730 values in one frame, and each took a look at each stream. */
  @Test
  void windowsOfAFrameAreSetOnceAndEachMustFit() {
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

      assertThat(peer.connection.canOpenStream()).isFalse();
      assertThat(peer.events.events).doesNotContain("capacity");

      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
      peer.channel.runPendingTasks();
      assertThat(peer.events.events).contains("capacity");
      assertThat(peer.connection.canOpenStream()).isTrue();
    }
  }

  @Test
  void headAndTrailersOfAResponseWaitForTheSocketInOrder() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(wholeRequest(1), wholeRequest(3));
      long before = ledger.heapBytes();
      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
      Http2Stream first = peer.events.stream(0).stream();
      first.sendHeaders(OK, false);
      first.sendData(Unpooled.copiedBuffer(new byte[4]), false);
      first.sendHeaders(TRAILERS, true);
      Http2Stream second = peer.events.stream(1).stream();
      second.sendHeaders(OK, false);
      second.sendHeaders(TRAILERS, true);
      assertThat(peer.answer()).isEmpty();
      assertThat(ledger.heapBytes()).isGreaterThan(before);

      peer.channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
      peer.channel.runPendingTasks();

      assertThat(peer.answer())
          .isEqualTo("HEADERS 1, HEADERS 3, HEADERS 3 end, DATA 1 (4), HEADERS 1 end");
      assertThat(peer.connection.activeStreams()).isZero();
    }
  }

  @Test
  void bytesOfBodiesThatWaitAreCountedAndGivenBack() {
    try (RawPeer peer = RawPeer.client(settings)) {
      peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 0), requestWith(1, Frames.END_STREAM));
      Http2Stream served = peer.events.stream(0).stream();
      served.sendHeaders(OK, false);
      served.sendData(Unpooled.copiedBuffer(new byte[1]), false);
      assertThat(ledger.directBytes()).isGreaterThanOrEqualTo(4_096); // of its chunk

      served.reset(Http2Error.CANCEL);
      var unused = peer.read();
      peer.advance(Duration.ofSeconds(1));
      assertThat(ledger.directBytes()).isZero();
    }
  }

  // What the connection itself holds.

  @Test
  void whatTheEncoderRemembersIsCounted() {
    var twin = new HpackEncoder();
    try (RawPeer peer = RawPeer.client(settings)) {
      long before = ledger.heapBytes();
      for (int i = 0; i < 3; i++) {
        peer.send(wholeRequest(1 + 2 * i));
        HeaderList answer = Messages.list(":status", "200", "x-always", "the same");
        peer.events.stream(i).stream().sendHeaders(answer, true);
        var unused = peer.read();
        var unusedBlock = twin.encode(answer);
      }

      assertThat(twin.heapBytes()).isPositive();
      assertThat(ledger.heapBytes() - before).isEqualTo(twin.heapBytes());
    }
  }

  @Test
  void theTableOfACrowdOfStreamsIsCountedUntilItIsMadeAnew() {
    try (RawPeer peer = RawPeer.client(settings)) {
      long before = ledger.heapBytes();
      for (int i = 0; i < 100; i++) {
        peer.send(request(1 + 2 * i));
      }
      peer.events.streams.forEach(stream -> stream.stream().reset(Http2Error.CANCEL));
      var unused = peer.read();
      assertThat(ledger.heapBytes() - before).isEqualTo(100 * 32);

      peer.advance(Duration.ofSeconds(1));
      assertThat(ledger.heapBytes()).isEqualTo(before);
    }
  }

  @Test
  void whatTheSocketHasNotTakenIsCountedBesideWhatHasComeInParts() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().takes = false;
      peer.send(wholeRequest(1));
      peer.events.stream(0).stream().sendHeaders(OK, false);
      peer.events.stream(0).stream().sendData(peer.buffers.copy(new byte[10_000]), true);
      peer.advance(Duration.ofSeconds(1));
      assertThat(peer.socket().waitingBytes()).isGreaterThan(10_000);
      assertThat(ledger.directBytes()).isEqualTo(peer.socket().waitingBytes());

      peer.send(Arrays.copyOf(frame(HEADERS, END_HEADERS, 3, open(12_000)), 1_009));
      assertThat(ledger.directBytes()).isEqualTo(peer.socket().waitingBytes() + 1_000);

      peer.socket().takes = true;
      peer.channel.flush();
      peer.advance(Duration.ofSeconds(1));
      assertThat(ledger.directBytes()).isEqualTo(1_000);
    }
  }

  // Who does not read.

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

  /** What is written meanwhile is no sign of life. */
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

  /** Two answers are taken when one more is written: what was sent and what waits make one sum. */
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

  /** Buffers are used again: the next one may look just like the one before. */
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

  // What operators see of it.

  @Test
  void aViewNamesThePeerAndItsStreams() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.send(request(1), request(3));

      assertThat(holder(peer).peer()).isEqualTo("local:there");
      assertThat(holder(peer).streams()).isEqualTo(2);
    }
  }

  @Test
  void aPeerWithoutAnAddressIsNamedByOurs() {
    try (RawPeer peer = RawPeer.clientAtSocket(settings)) {
      peer.socket().remote = null;

      assertThat(holder(peer).peer()).isEqualTo("local:here");
      assertThat(holder(peer).streams()).isZero();
    }
  }

  private Holder holder(RawPeer peer) {
    var view = ledger.view(1).toCompletableFuture();
    peer.channel.runPendingTasks();
    return view.join().heaviest().get(0);
  }
}
