package io.outrigger.proxy.http2;

import static io.outrigger.proxy.testing.http2.Frames.HEADERS;
import static io.outrigger.proxy.testing.http2.Frames.frame;
import static io.outrigger.proxy.testing.http2.Frames.request;
import static io.outrigger.proxy.testing.http2.Frames.settings;
import static io.outrigger.proxy.testing.http2.Frames.wholeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.MemoryView.Ended;
import io.outrigger.proxy.memory.MemoryView.Limits;
import io.outrigger.proxy.memory.PeerSide;
import io.outrigger.proxy.testing.http2.Frames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who ends when memory is short: streams, the heaviest first, or the connection with them. */
final class ConnectionReliefTest {
  private static final int MIB = 1 << 20;

  /** What is above this has to go, once it is much. */
  private static final int RELIEVED = MIB / 4 * 3;

  private static final int READ_BYTES = 64 << 10;
  private static final HeaderList OK = HeaderList.builder(1).add(KnownName.STATUS, "200").build();

  private final MemoryLedger ledger = new MemoryLedger(new Limits(MIB, MIB, 2 * MIB));
  private final ConnectionSettings settings = ConnectionSettings.DEFAULT.withMemory(ledger);

  /** What others hold. */
  private final AtomicLong others = new AtomicLong();

  /** Six streams wait, each with a small part of the same buffer. */
  private RawPeer withPartsOfOneBuffer() {
    ledger.alsoHeld(others::get);
    RawPeer peer = RawPeer.client(settings);
    peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 0));
    ByteBuf read = peer.buffers.copy(new byte[READ_BYTES]);
    for (int i = 0; i < 6; i++) {
      peer.send(wholeRequest(1 + 2 * i));
      peer.events.stream(i).stream().sendHeaders(OK, false);
      peer.events.stream(i).stream().sendData(read.readRetainedSlice(4_000), false);
    }
    read.release();
    var unused = peer.read();
    return peer;
  }

  @Test
  void noStreamEndsWhereItIsEnoughToCopyPartsOfAReadBuffer() {
    try (RawPeer peer = withPartsOfOneBuffer()) {
      assertThat(ledger.directBytes()).isEqualTo(6 * READ_BYTES);

      shortOf(peer, 300_000);

      assertThat(ledger.directBytes() - others.get()).isEqualTo(6 * 4_000);
      assertThat(peer.answer()).isEmpty();
      assertThat(ledger.ended(PeerSide.APP, Ended.STREAM)).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 393216", "200000, 24000"})
  void partsOfAReadBufferAreCopiedOnceMemoryIsShort(int byOthers, int bytes) {
    try (RawPeer peer = withPartsOfOneBuffer()) {
      others.set(byOthers);

      peer.advance(Duration.ofSeconds(1));
      assertThat(ledger.directBytes() - byOthers).isEqualTo(bytes);
    }
  }

  /** What waits to be sent goes when the peer says so, which has to be read. */
  @Test
  void aPeerIsNotReadFromWhileMostOfWhatItHoldsWasReadFromIt() {
    var wide = new MemoryLedger(new Limits(5 * MIB / 2, 5 * MIB / 2, 5 * MIB));
    try (RawPeer peer = RawPeer.clientAtSocket(settings.withMemory(wide))) {
      peer.send(settings(Frames.INITIAL_WINDOW_SIZE, 0), wholeRequest(1));
      peer.socket().takes = false;
      int pending = 600_000;
      Http2Stream served = peer.events.stream(0).stream();
      served.sendHeaders(OK, false);
      served.sendData(peer.buffers.copy(new byte[pending]), true);
      peer.send(Frames.ping(1));
      long toBeSent = pending + peer.socket().waitingBytes();
      served.keeps(0, (int) (2 * toBeSent - wide.heapBytes() - wide.directBytes()));

      peer.advance(Duration.ofSeconds(1));
      assertThat(wide.isShort()).isTrue();
      assertThat(peer.channel.config().isAutoRead()).as("half was read").isTrue();

      served.keeps(0, 1);
      peer.advance(Duration.ofMillis(100));
      assertThat(peer.channel.config().isAutoRead()).as("a byte more than half").isFalse();

      served.keeps(0, -1);
      peer.advance(Duration.ofMillis(100));
      assertThat(peer.channel.config().isAutoRead()).as("half again").isTrue();
    }
  }

  /** What a stream of a {@link Frames#request} keeps from the beginning. */
  private static int least(RawPeer peer) {
    return ConnectionStreams.STREAM_BYTES + peer.events.stream(0).headers.get(0).heapBytes();
  }

  /** The connection is asked to let go of {@code bytes}. */
  private void shortOf(RawPeer peer, long bytes) {
    others.addAndGet(RELIEVED + bytes - ledger.directBytes());
    ledger.look();
    peer.channel.runPendingTasks();
  }

  private RawPeer withStreams(int... directBytes) {
    ledger.alsoHeld(others::get);
    RawPeer peer = RawPeer.client(settings);
    for (int i = 0; i < directBytes.length; i++) {
      peer.send(request(1 + 2 * i));
      peer.events.stream(i).stream().keeps(0, directBytes[i]);
    }
    return peer;
  }

  @Test
  void noStreamEndsWhenThoseBeforeItWereEnough() {
    try (RawPeer peer = withStreams(200_000, 150_000)) {
      shortOf(peer, least(peer) + 200_000);

      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 ENHANCE_YOUR_CALM");
    }
  }

  @Test
  void aStreamOfASixteenthOfTheHeaviestIsNotLight() {
    int heaviest;
    try (RawPeer peer = withStreams(0)) {
      heaviest = 16 * (least(peer) + 30_000) - least(peer);
    }
    try (RawPeer peer = withStreams(heaviest, 30_000, 29_999)) {
      shortOf(peer, heaviest + 30_000 + 3 * least(peer));

      assertThat(peer.answer())
          .isEqualTo("RST_STREAM 1 ENHANCE_YOUR_CALM, RST_STREAM 3 ENHANCE_YOUR_CALM");
      assertThat(peer.events.stream(2).story()).isEqualTo("headers");
    }
  }

  @Test
  void aConnectionThatHoldsAsMuchAsItsStreamsEndsInTheirPlace() {
    try (RawPeer peer = withStreams(0)) {
      long own = ledger.heapBytes() - least(peer);
      peer.events.stream(0).stream().keeps(0, (int) own - least(peer));
      shortOf(peer, 150_000);

      assertThat(peer.answer()).isEqualTo("GOAWAY 1 ENHANCE_YOUR_CALM");
      assertThat(peer.events.stream(0).story()).isEqualTo("headers lost");
      assertThat(ledger.ended(PeerSide.APP, Ended.STREAM)).isZero();
      assertThat(ledger.ended(PeerSide.APP, Ended.CONNECTION)).isEqualTo(1);
    }
  }

  /** The frame that resets a stream takes a buffer: what it takes is less that was let go. */
  @Test
  void aConnectionGoesOnWhenItsStreamsWereJustEnough() {
    int buffer = 256;
    List<Long> seen = new ArrayList<>();
    try (RawPeer peer = withStreams(200_000)) {
      others.addAndGet(RELIEVED + least(peer) - buffer);
      ledger.look();
      peer.channel.eventLoop().execute(() -> seen.add(ledger.directBytes() - others.get()));
      peer.channel.runPendingTasks();

      assertThat(seen).containsExactly((long) buffer);
      assertThat(peer.answer()).isEqualTo("RST_STREAM 1 ENHANCE_YOUR_CALM");
      assertThat(ledger.ended(PeerSide.APP, Ended.CONNECTION)).isZero();
    }
  }

  @Test
  void anAppOfWhichAHundredStreamsWereEndedHasItsConnectionEndedWithTheNext() {
    try (RawPeer peer = RawPeer.client(settings)) {
      for (int i = 0; i < 101; i++) {
        assertThat(peer.isOpen()).isTrue();
        peer.send(request(1 + 2 * i));
        peer.events.stream(i).stream().keeps(0, 950_000);
        peer.channel.runPendingTasks();
        assertThat(peer.events.stream(i).story()).isEqualTo("headers reset ENHANCE_YOUR_CALM");
      }

      assertThat(peer.answer())
          .endsWith("RST_STREAM 201 ENHANCE_YOUR_CALM, GOAWAY 201 ENHANCE_YOUR_CALM");
      assertThat(peer.isOpen()).isFalse();
      assertThat(ledger.ended(PeerSide.APP, Ended.STREAM)).isEqualTo(101);
      assertThat(ledger.ended(PeerSide.APP, Ended.CONNECTION)).isEqualTo(1);
    }
  }

  /** Others share it. */
  @Test
  void aBackendMayHaveAnyNumberOfItsStreamsEnded() {
    try (RawPeer peer = RawPeer.server(settings)) {
      for (int i = 0; i < 120; i++) {
        RecordingStream call = peer.open(Messages.POST, false);
        call.stream().keeps(0, 950_000);
        peer.channel.runPendingTasks();
        assertThat(call.story()).isEqualTo("reset ENHANCE_YOUR_CALM");
        peer.send(Frames.settingsAck());
      }

      assertThat(peer.isOpen()).isTrue();
      assertThat(ledger.ended(PeerSide.BACKEND, Ended.STREAM)).isEqualTo(120);
    }
  }

  /** As one of TLS does, whose farewell waits for a socket that takes nothing. */
  @Test
  void whatAConnectionHeldIsFreeBeforeItsSocketHasClosed() {
    var small = new MemoryLedger(new Limits(MIB, 16_000, MIB));
    var waits =
        new ChannelOutboundHandlerAdapter() {
          @Override
          public void close(ChannelHandlerContext ctx, ChannelPromise promise) {}
        };
    try (RawPeer peer = RawPeer.client(settings.withMemory(small))) {
      peer.channel.pipeline().addFirst(waits);
      peer.send(request(1));
      peer.send(frame(HEADERS, 0, 3, new byte[9_000]));
      peer.send(frame(Frames.CONTINUATION, 0, 3, new byte[16_000]));

      assertThat(peer.isOpen()).isTrue();
      assertThat(small.heapBytes() + small.directBytes()).isZero();
      assertThat(peer.events.stream(0).story()).isEqualTo("headers lost");
      assertThat(peer.events.events)
          .containsExactly("ready", "closed: memory is short and this connection holds much of it");
      peer.channel.pipeline().remove(waits);
    }
  }
}
