package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.testing.Conformance;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much is read in a turn, and reads while few or no buffers are available. */
final class SocketReadsTest {
  private static final int FULL = 65_536;
  private static final int FIRST = 16_384;
  private static final int SMALL = SocketReads.SMALL_BYTES;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final ScarceBuffers buffers = new ScarceBuffers();
  private SocketReads reads;
  private long work;
  private LoopTurn.Mark others;
  private int retries;

  private boolean allowed = true;
  private boolean idle;

  private void othersOpen(int streams) {
    for (int i = 0; i < streams; i++) {
      others.onWork(LoopTurn.STREAM_WORK);
    }
    nextTurn();
  }

  @BeforeEach
  void readWide() {
    channel.freezeTime();
    channel.config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(64, FULL, FULL));
    reads = SocketReads.of(channel);
    LoopTurn turn = LoopTurn.of(channel.eventLoop());
    others = turn.mark("test", () -> {}, now -> {});
    reads.attach(true, () -> work, turn.mark("test", () -> retries++, now -> {}));
    reads.setReadConditions(() -> allowed, () -> idle);
    nextTurn();
  }

  private void nextTurn() {
    reads.reset(channel.config());
  }

  private int room() {
    ByteBuf buffer = reads.allocate(buffers);
    int size = buffer.writableBytes();
    buffer.release();
    return size;
  }

  /** Fills one buffer, in which {@code streams} begin; returns its size. */
  private int read(int streams) {
    int size = readPart();
    reads.onDelivered();
    work += (long) streams * LoopTurn.STREAM_WORK;
    return size;
  }

  /** Fills one buffer, in which no TLS record ends; returns its size. */
  private int readPart() {
    int size = room();
    reads.attemptedBytesRead(size);
    reads.lastBytesRead(size);
    reads.incMessagesRead(1);
    return size;
  }

  private boolean mayContinue() {
    boolean may = reads.continueReading(() -> true);
    assertThat(reads.continueReading()).isEqualTo(may);
    return may;
  }

  private void pass(int millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  private boolean isReading() {
    return channel.config().isAutoRead();
  }

  // Per turn.

  @Test
  void aBodyIsReadInOneLimitedBufferAndFourFullOnes() {
    for (int turn = 0; turn < 3; turn++) {
      assertThat(read(1)).isEqualTo(FIRST);
      for (int i = 0; i < 4; i++) {
        assertThat(mayContinue()).isTrue();
        assertThat(read(0)).isEqualTo(FULL);
      }
      assertThat(mayContinue()).isFalse();
      nextTurn();
    }
  }

  @Test
  void aSocketWithoutMoreBytesIsReadNoFurther() {
    read(1);
    assertThat(reads.continueReading(() -> false)).isFalse();
  }

  @Test
  void aFloodOfSmallRequestsIsReadInParts() {
    assertThat(read(8)).isEqualTo(FIRST);
    assertThat(mayContinue()).isTrue();
    nextTurn();
    assertThat(read(9)).isEqualTo(FIRST);
    assertThat(mayContinue()).isFalse();
  }

  @Test
  void aFloodOfFramesWithoutContentIsReadInParts() {
    read(0);
    work = 9 * LoopTurn.STREAM_WORK - 1;
    assertThat(mayContinue()).isTrue();
    work++;
    assertThat(mayContinue()).isFalse();

    others.onWork(256 * LoopTurn.STREAM_WORK - 1);
    nextTurn();
    assertThat(room()).isEqualTo(FIRST);
    others.onWork(1);
    nextTurn();
    assertThat(room()).isEqualTo(SMALL);
  }

  @Test
  void othersFloodLeavesEachAFewRequests() {
    othersOpen(255);
    assertThat(read(1)).isEqualTo(FIRST);
    assertThat(mayContinue()).isTrue();

    othersOpen(1);
    for (int requests : new int[] {3, 5, 1}) {
      assertThat(read(requests)).isEqualTo(SMALL);
      assertThat(mayContinue()).isEqualTo(requests > 1);
    }

    channel.runPendingTasks(); // the end of the loop's turn
    nextTurn();
    assertThat(read(1)).isEqualTo(FIRST);
  }

  @Test
  void aBodyIsReadOnWhileOthersFlood() {
    othersOpen(256);
    assertThat(read(0)).isEqualTo(SMALL);
    assertThat(mayContinue()).isTrue();
    assertThat(read(0)).isEqualTo(FULL);
  }

  @Test
  void othersFloodLeavesOneRecordToEach() {
    othersOpen(256);
    assertThat(readPart()).isEqualTo(SMALL);
    assertThat(mayContinue()).isTrue();
    assertThat(read(9)).isEqualTo(FIRST);
    assertThat(mayContinue()).isFalse();
  }

  /** A record may hold hundreds of requests, which none of the bytes before its end tell. */
  @Test
  void theBytesThatEndARecordAreRead() {
    for (int turn = 0; turn < 2; turn++) {
      assertThat(readPart()).isEqualTo(FIRST);
      assertThat(mayContinue()).isTrue();
      assertThat(readPart()).isEqualTo(FIRST);
      assertThat(read(9)).isEqualTo(FIRST);
      assertThat(mayContinue()).isFalse();
      nextTurn();
    }
  }

  @Test
  void aBodyInRecordsIsReadInFullBuffers() {
    assertThat(readPart()).isEqualTo(FIRST);
    assertThat(read(0)).isEqualTo(FIRST);
    assertThat(mayContinue()).isTrue();
    assertThat(read(0)).isGreaterThan(FIRST);
  }

  @Test
  void aBackendsRecordsAreReadInFullBuffers() {
    LoopTurn turn = LoopTurn.of(channel.eventLoop());
    reads.attach(false, () -> work, turn.mark("test", () -> {}, now -> {}));
    nextTurn();
    assertThat(readPart()).isEqualTo(FIRST);
    assertThat(readPart()).isEqualTo(FULL);
  }

  @Test
  void aConnectionTellsThatBytesHaveCome() {
    var other = new EmbeddedChannel();
    other.config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(64, FULL, FULL));
    reads = SocketReads.of(other);
    other
        .pipeline()
        .addLast(Http2Connection.server(ConnectionSettings.DEFAULT, made -> new EchoHandler()));
    reads.reset(other.config());
    assertThat(readPart()).isEqualTo(FIRST);
    assertThat(readPart()).isEqualTo(FIRST);

    other.writeInbound(Unpooled.wrappedBuffer(FrameWriter.PREFACE));
    assertThat(room()).isGreaterThan(FIRST);
    other.finishAndReleaseAll();
  }

  @Test
  void aChannelHasOneHandle() {
    assertThat(SocketReads.of(channel)).isSameAs(reads);
    assertThat(channel.config().<RecvByteBufAllocator>getRecvByteBufAllocator()).isSameAs(reads);
    assertThat(reads.newHandle()).isSameAs(reads);
  }

  // Without buffers.

  private void waitOnce() {
    assertThatThrownBy(this::room).isInstanceOf(SocketReads.NoBufferNow.class);
    assertThat(isReading()).isFalse();
  }

  @Test
  @Conformance("SC-38")
  void whereThereIsNoneForAFullReadASmallOneIsMade() {
    room();
    buffers.most(SMALL);
    assertThat(room()).isEqualTo(SMALL);
    assertThat(isReading()).isTrue();
  }

  @Test
  @Conformance("SC-38")
  void whereThereIsNoneAtAllTheReadWaits() {
    buffers.most(0);
    waitOnce();
    pass(19);
    reads.pause(false); // a resume for memory does not end the wait for a buffer
    assertThat(isReading()).isFalse();
    assertThat(retries).isZero();
    pass(1);
    assertThat(isReading()).isTrue();
    assertThat(retries).isEqualTo(1);

    buffers.most(FULL);
    nextTurn();
    assertThat(room()).isEqualTo(FIRST);
  }

  @Test
  void aReadThatIsNotAllowedIsRetriedWithoutEnd() {
    allowed = false;
    for (int i = 0; i < 2 * SocketReads.MAX_WAITS; i++) {
      waitOnce();
      pass(20);
      assertThat(isReading()).isTrue();
    }

    allowed = true;
    nextTurn();
    assertThat(room()).isEqualTo(FIRST);
  }

  @Test
  void aConnectionThatIsPausedInsteadOfReadHasNoTimer() {
    reads.setReadConditions(
        () -> {
          reads.pause(true);
          return false;
        },
        () -> idle);
    waitOnce();
    pass(20);
    assertThat(retries).isZero();
    reads.pause(false);
    assertThat(isReading()).isTrue();
  }

  @Test
  void twoFailuresAreOneWait() {
    reads.waitForBuffer();
    reads.waitForBuffer();
    pass(20);
    assertThat(retries).isEqualTo(1);
  }

  @Test
  void whoIsPausedMeanwhileStaysSo() {
    reads.waitForBuffer();
    reads.pause(true);
    pass(20);
    assertThat(isReading()).isFalse();
    reads.pause(false);
    assertThat(isReading()).isTrue();
  }

  @Test
  void whoIsGoneMeanwhileIsNotReadAgain() {
    reads.waitForBuffer();
    channel.close();
    pass(20);
    assertThat(isReading()).isFalse();
    assertThat(retries).isZero();
  }

  @Test
  void whoHasWaitedForLongIsAtItsEnd() {
    buffers.most(0);
    for (int i = 0; i < SocketReads.MAX_WAITS; i++) {
      waitOnce();
    }
    assertThatThrownBy(this::room).isInstanceOf(ScarceBuffers.None.class);
  }

  @Test
  void whoHasFoundOneMayWaitAgain() {
    for (int i = 0; i < 2 * SocketReads.MAX_WAITS; i++) {
      buffers.most(0);
      waitOnce();
      buffers.most(i % 2 == 0 ? FULL : SMALL);
      assertThat(room()).isPositive();
    }
  }

  @Test
  void beforeThereIsAConnectionTheErrorIsWhatItWas() {
    buffers.most(0);
    var other = SocketReads.of(new EmbeddedChannel());
    assertThatThrownBy(() -> other.allocate(buffers)).isInstanceOf(ScarceBuffers.None.class);
  }

  /** Errors of the JVM itself are counted, and many of them end the process. */
  @Test
  void errorsOfTheJvmAreNotWaitedFor() {
    buffers.most(0);
    buffers.jvmIsFull();
    assertThatThrownBy(this::room).isExactlyInstanceOf(OutOfMemoryError.class);
    assertThat(isReading()).isTrue();
  }

  /** Such reads of other peers have taken their part of the turn: see {@link LoopTurn}. */
  private void othersTakeTheTurn() {
    assertThat(others.postpone(() -> {})).isFalse();
    channel.advanceTimeBy(5, TimeUnit.MILLISECONDS);
  }

  @Test
  void anIdlePeerIsReadInALaterTurnThanTheOthers() {
    idle = true;
    assertThat(read(1)).isEqualTo(FIRST);
    othersTakeTheTurn();
    assertThat(room()).as("the same read goes on").isEqualTo(FULL);
    nextTurn();
    waitOnce();
    waitOnce(); // the end of the peer's output is another event
    pass(1);
    assertThat(retries).isEqualTo(1);
    assertThat(isReading()).isTrue();
    assertThat(room()).isEqualTo(FIRST);
  }

  @Test
  void aBusyPeerIsReadInThisTurn() {
    othersTakeTheTurn();
    assertThat(room()).isEqualTo(FIRST);
  }

  @Test
  void anIdlePeerThatIsGoneMeanwhileIsNotReadAgain() {
    idle = true;
    othersTakeTheTurn();
    waitOnce();
    channel.close();
    pass(1);
    assertThat(isReading()).isFalse();
  }

  @Test
  void aReadThatIsNotAllowedTakesNoBuffer() {
    reads.setReadConditions(
        () -> {
          reads.pause(true);
          return false;
        },
        () -> idle);

    waitOnce();

    assertThat(channel.config().isAutoRead()).isFalse();
    reads.setReadConditions(() -> true, () -> idle);
    reads.pause(false);
    assertThat(channel.config().isAutoRead()).isTrue();
    assertThat(room()).isEqualTo(FIRST);
  }
}
