package io.outrigger.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.outrigger.testing.Conformance;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

  /** Reads a buffer of which only {@code sizes} are this stream's. */
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

  /** Of the buffer read last others may have the rest, and each would pin all of it. */
  @Test
  void whoSettlesPinsNoMoreThanWaits() {
    read(16_384);
    assertThat(pending.pinnedBytes()).isEqualTo(READ_BUFFER);

    pending.settle(alloc);

    assertThat(pending.pinnedBytes()).isEqualTo(16_384);
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
