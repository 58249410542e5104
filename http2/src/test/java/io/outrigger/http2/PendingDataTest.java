package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.testing.Conformance;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pending data is returned unchanged, and does not hold much more memory than its size. */
final class PendingDataTest {
  private static final int READ_BUFFER = 64 << 10;

  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(false);
  private boolean windowClosed = true;
  private final PendingData pending = new PendingData();

  @AfterEach
  void nothingIsKept() {
    pending.release();
    assertThat(used()).isZero();
  }

  private long used() {
    return alloc.metric().usedHeapMemory() + alloc.metric().usedDirectMemory();
  }

  /** An allocator without free memory. */
  private static final class Exhausted extends AbstractByteBufAllocator {
    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("buffers, in a test");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("buffers, in a test");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  /** Reads a buffer of which only {@code sizes} belong to this stream. */
  private void read(int... sizes) {
    ByteBuf buffer = alloc.heapBuffer(READ_BUFFER).writeZero(READ_BUFFER);
    for (int size : sizes) {
      pending.add(buffer.readRetainedSlice(size), windowClosed, alloc);
    }
    buffer.release();
  }

  @Conformance("SC-38")
  @Test
  void fewBytesOfManyReadsPinOneReadBufferAtMost() {
    for (int i = 0; i < 100; i++) {
      read(3_000, 3_000);
    }

    assertThat(pending.bytes()).isEqualTo(600_000);
    assertThat(used()).isLessThanOrEqualTo(600_000 + READ_BUFFER);
  }

  @Conformance("SC-38")
  @Test
  void whereThereIsNoRoomForACopyItStaysAsItIsUntilThereIs() {
    read(16_384);

    // JUnit ends without a verdict when a test throws an OutOfMemoryError.
    assertThatCode(() -> pending.settle(true, new Exhausted())).doesNotThrowAnyException();

    assertThat(pending.bytes()).isEqualTo(16_384);
    assertThat(used()).isEqualTo(READ_BUFFER);
    pending.settle(true, alloc);
    assertThat(pending.bytes()).isEqualTo(16_384);
    assertThat(used()).isEqualTo(16_384);
    pending.take(16_384).release();
    assertThat(pending.bytes()).isZero();
    assertThat(used()).isZero();
  }

  /** The slices that were not copied are no longer the last chunks. */
  @Test
  void dataBehindSlicesThatFoundNoRoomIsNotCopiedWithThem() {
    read(16_384);
    var scarce = new ScarceBuffers();
    scarce.most(8_192);
    ByteBuf small = alloc.heapBuffer(3).writeZero(3);

    assertThatCode(() -> pending.add(small, true, scarce)).doesNotThrowAnyException();
    pending.settle(true, alloc);

    assertThat(scarce.refused()).isEqualTo(1);
    assertThat(pending.bytes()).isEqualTo(16_387);
    assertThat(used()).isEqualTo(READ_BUFFER);
  }

  /**
   * Other streams may have slices of the last read buffer, and each slice would keep all of it in
   * memory.
   */
  @Test
  void whoSettlesPinsNoMoreThanWaits() {
    read(16_384);
    assertThat(used()).isEqualTo(READ_BUFFER);

    pending.settle(true, alloc);

    assertThat(used()).isEqualTo(16_384);
    assertThat(used()).isEqualTo(16_384);
  }

  @Test
  void mostOfAReadIsKeptAsItCame() {
    for (int i = 0; i < 10; i++) {
      read(16_384, 16_384, 16_384);
    }

    assertThat(used()).isEqualTo(10 * READ_BUFFER);
  }

  @Test
  void whatWaitsForAFullSocketIsNotCopiedUntilItIsMuch() {
    windowClosed = false;
    for (int i = 0; i < 20; i++) {
      read(3_000);
    }
    assertThat(used()).isEqualTo(20 * READ_BUFFER);

    for (int i = 0; i < 100; i++) {
      read(3_000);
    }
    assertThat(used()).isLessThan(360_000 + 23 * READ_BUFFER);
  }

  @Test
  void smallPiecesBetweenLargeOnesDoNotUndoIt() {
    for (int i = 0; i < 100; i++) {
      read(100);
      read(3_000);
    }

    assertThat(used()).isLessThanOrEqualTo(310_000 + 100 * 4_096 + READ_BUFFER);
  }

  @Test
  void bothHalvesOfAReadAreKeptAsTheyCame() {
    read(16_384, 16_384); // exactly half of it
    pending.settle(true, alloc);
    assertThat(used()).isEqualTo(READ_BUFFER);
    assertThat(used()).isEqualTo(READ_BUFFER);
  }

  @Test
  void aStreamFlowsAsLongAsNoMoreWaitsThanItMay() {
    windowClosed = false;
    for (int i = 0; i < 4; i++) {
      read(16_384);
    }
    read(3_000); // 64 KiB are pending already
    assertThat(used()).isEqualTo(5 * READ_BUFFER);

    read(3_000); // more than 64 KiB are pending already
    assertThat(used()).isEqualTo(5 * READ_BUFFER + 3_000);
    assertThat(used()).isEqualTo(5 * READ_BUFFER + 3_000);
  }

  @Test
  void smallPiecesFillAChunkBeforeTheNextIsTaken() {
    read(100);
    assertThat(used()).isEqualTo(4_096);
    read(1_948);
    read(2_048); // exactly fits, and is just small enough to be copied
    assertThat(used()).isEqualTo(4_096);
    assertThat(used()).isEqualTo(4_096);

    read(1);
    assertThat(used()).isEqualTo(2 * 4_096);
    assertThat(pending.bytes()).isEqualTo(4_097);
  }

  @Test
  void aReadBufferIsLetGoOfWithItsLastPart() {
    read(16_384, 10_000);
    pending.take(16_384).release();
    assertThat(used()).as("a part is left").isEqualTo(READ_BUFFER);
    assertThat(pending.isEmpty()).isFalse();

    read(20_000, 20_000);
    assertThat(used()).as("10,000 were copied").isEqualTo(10_000 + READ_BUFFER);
    pending.take(10_000).release();
    assertThat(used()).isEqualTo(READ_BUFFER);

    pending.take(8_000).release();
    pending.take(20_000).release();
    pending.take(20_000).release();
    assertThat(used()).isZero();
    assertThat(pending.isEmpty()).isTrue();
    assertThat(used()).isZero();
  }

  @Test
  void aChunkThatWasTakenIsNotWrittenTo() {
    read(100);
    ByteBuf taken = pending.take(100);
    read(50);

    assertThat(taken.readableBytes()).isEqualTo(100);
    ByteBuf next = pending.take(100);
    assertThat(next.readableBytes()).isEqualTo(50);
    taken.release();
    next.release();
  }

  /** The chunk for small pieces stays the last one when an earlier chunk is taken. */
  @Test
  void smallPiecesGoOnFillingTheLastChunk() {
    read(3_000);
    read(100);
    pending.take(3_000).release();
    read(100);

    assertThat(used()).isEqualTo(4_096);
    ByteBuf both = pending.take(1_000);
    assertThat(both.readableBytes()).isEqualTo(200);
    both.release();
  }

  @Test
  void bytesAreSkippedAcrossBuffersAndNoMoreThanAsked() {
    ByteBuf text = alloc.heapBuffer(10_000);
    for (int i = 0; i < 10_000; i++) {
      text.writeByte(i % 100);
    }
    pending.add(text.readRetainedSlice(3_000), false, alloc);
    pending.add(text.readRetainedSlice(3_000), false, alloc);
    pending.add(text.readRetainedSlice(4_000), false, alloc);
    text.release();

    pending.skip(0);
    assertThat(pending.bytes()).isEqualTo(10_000);
    pending.skip(6_042);
    assertThat(pending.bytes()).isEqualTo(3_958);
    ByteBuf rest = pending.take(5_000);
    assertThat(rest.getByte(rest.readerIndex())).isEqualTo((byte) 42);
    rest.release();
    assertThat(pending.isEmpty()).isTrue();

    read(100);
    pending.skip(100);
    assertThat(pending.isEmpty()).isTrue();
    assertThat(used()).isZero();
  }

  @Test
  void bytesLeaveInOrderWhateverIsCopied() {
    var random = new Random(7);
    Deque<Byte> expected = new ArrayDeque<>();
    for (int round = 0; round < 2_000; round++) {
      ByteBuf buffer = alloc.heapBuffer(READ_BUFFER);
      for (int i = random.nextInt(4); i >= 0; i--) {
        byte[] text = new byte[1 + random.nextInt(random.nextBoolean() ? 100 : 9_000)];
        random.nextBytes(text);
        ByteBuf slice = buffer.writeBytes(text).readRetainedSlice(text.length);
        for (byte b : text) {
          expected.add(b);
        }
        pending.add(slice, random.nextBoolean(), alloc);
      }
      buffer.release();
      while (pending.bytes() > 0 && random.nextInt(3) > 0) {
        ByteBuf taken = pending.take(1 + random.nextInt(12_000));
        while (taken.isReadable()) {
          assertThat(taken.readByte()).isEqualTo(expected.remove());
        }
        taken.release();
      }
      assertThat(pending.bytes()).isEqualTo(expected.size());
    }
  }
}
