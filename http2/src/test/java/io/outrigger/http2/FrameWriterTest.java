package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.ConnectionSettings.Windows;
import io.outrigger.http2.testing.Frames;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames are written correctly, and their bytes are counted until they are sent. */
final class FrameWriterTest {
  private static final int FULL = 64 << 10;

  /** The overhead that Netty counts for each buffer that waits. */
  private static final int ENTRY_OVERHEAD = 96;

  private final CountedBuffers buffers = new CountedBuffers();
  private final EmbeddedChannel channel =
      buffers.channel(new EmbeddedChannel(), new ChannelOutboundHandlerAdapter());
  private int dirty;
  private final FrameWriter writer =
      new FrameWriter(channel.pipeline().firstContext(), () -> dirty++);

  @AfterEach
  void everyBufferIsGivenBack() {
    writer.release();
    channel.finishAndReleaseAll();
    buffers.checkAllReleased();
  }

  private ByteBuf data(int bytes) {
    return buffers.copy(new byte[bytes]);
  }

  /** Writes small DATA frames of {@code bytes} in total, including frame headers. */
  private void fill(int bytes) {
    int left = bytes;
    while (left > 0) {
      int frame = Math.min(left, 1_024);
      writer.data(1, data(frame - FrameType.HEADER_BYTES), false);
      left -= frame;
    }
  }

  private byte[] flushed() {
    writer.flush();
    CompositeByteBuf all = Unpooled.compositeBuffer();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      all.addComponent(true, out);
    }
    byte[] bytes = ByteBufUtil.getBytes(all);
    all.release();
    return bytes;
  }

  @Test
  void aClientForbidsPushAndAServerBoundsStreams() {
    ConnectionSettings settings =
        ConnectionSettings.DEFAULT
            .withMaxConcurrentStreams(7)
            .withWindows(new Windows(5, 5, 70_000));

    writer.settings(settings, true);
    assertThat(flushed()).isEqualTo(Frames.settings(2, 0, 4, 5, 5, 16_384, 6, 65_536));

    writer.settings(settings, false);
    assertThat(flushed()).isEqualTo(Frames.settings(3, 7, 4, 5, 5, 16_384, 6, 65_536));
  }

  @Test
  void dataIsWelcomeUntilABufferFullWaits() {
    fill(FULL - 17);
    assertThat(writer.isWritable()).isTrue();

    writer.ping(1, false);
    assertThat(writer.isWritable()).isFalse();

    var unused = flushed();
    assertThat(writer.isWritable()).isTrue();
  }

  /** Otherwise a peer could cause us to buffer a head for each stream that it opens in one turn. */
  @Test
  void headersThatFillABufferAreGivenToTheSocketAndWaitForIt() {
    fill(FULL - 17);
    assertThat(writer.hasRoomForHeaders()).isTrue();
    assertThat(writer.handedBytes()).isZero();

    writer.ping(1, false);
    assertThat(writer.hasRoomForHeaders()).isFalse();
    assertThat(writer.handedBytes()).isEqualTo(FULL);

    assertThat(flushed()).hasSize(FULL);
    assertThat(writer.hasRoomForHeaders()).isTrue();
  }

  @Test
  void whatWaitsHereAndInTheSocketIsUnsent() {
    assertThat(writer.unsentBytes()).isZero();
    writer.ping(1, false);
    assertThat(writer.unsentBytes()).isEqualTo(256);

    // The PING and the frame header are passed on before the payload.
    writer.data(1, data(3_000), false);
    int inSocket = 17 + 9 + 3_000 + 2 * ENTRY_OVERHEAD;
    assertThat(writer.unsentBytes()).isEqualTo(inSocket);

    writer.ping(2, false);
    assertThat(writer.unsentBytes()).isEqualTo(inSocket + 256);

    var unused = flushed();
    assertThat(writer.unsentBytes()).isZero();
  }

  @Test
  void aClosedSocketHoldsNothing() {
    writer.ping(1, false);
    writer.release();
    var unused = channel.close();

    assertThat(writer.unsentBytes()).isZero();
  }

  @Test
  void allThatWasGivenToTheSocketIsCountedTakenOrNot() {
    writer.ping(1, false);
    assertThat(writer.handedBytes()).isZero();

    writer.data(1, data(3_000), false);
    assertThat(writer.handedBytes()).isEqualTo(17 + 9 + 3_000);

    writer.ping(2, false);
    assertThat(flushed()).hasSize(17 + 9 + 3_000 + 17);
    assertThat(writer.handedBytes()).isEqualTo(17 + 9 + 3_000 + 17);
  }

  /** Netty would copy the heap buffer, and may have no memory for the copy. */
  @Test
  void dataOfTheHeapIsCopied() {
    ByteBuf large = Unpooled.wrappedBuffer(new byte[3_000]);

    writer.data(1, large, true);

    assertThat(large.refCnt()).isZero();
    assertThat(flushed()).isEqualTo(Frames.data(1, Frames.END_STREAM, new byte[3_000]));
  }

  @Test
  void smallDataIsCopiedAndLargeDataFollowsItsHead() {
    ByteBuf small = data(FrameWriter.COPY_BYTES);
    ByteBuf large = data(FrameWriter.COPY_BYTES + 1);

    writer.data(1, small, false);
    assertThat(small.refCnt()).isZero();
    assertThat(writer.handedBytes()).isZero();

    writer.data(1, large, true);
    assertThat(large.refCnt()).isEqualTo(1);
    assertThat(flushed())
        .isEqualTo(
            Frames.join(
                Frames.data(1, 0, new byte[FrameWriter.COPY_BYTES]),
                Frames.data(1, Frames.END_STREAM, new byte[FrameWriter.COPY_BYTES + 1])));
  }

  /** The buffer is created large enough for its first frame, so that it does not have to grow. */
  @Test
  void aBufferIsAsLargeAsItsFirstFrame() {
    writer.data(1, data(2_000), false);

    assertThat(writer.unsentBytes()).isEqualTo(2_009);
  }

  /**
   * The capacity of the buffer is counted, so its size must fit both quiet and busy connections.
   */
  @ParameterizedTest(name = "after {0} bytes: {1}")
  @CsvSource({"17, 256", "255, 256", "256, 512", "1000, 1024", "40000, 65536", "90000, 65536"})
  void aBufferIsAsLargeAsTheLastTurnNeeded(int last, int size) {
    fill(last);
    assertThat(flushed()).hasSize(last);

    writer.ping(1, false);
    assertThat(writer.unsentBytes()).isEqualTo(size);
  }

  @Test
  void theFirstFrameOfATurnMakesTheConnectionDirty() {
    writer.ping(1, false);
    writer.ping(2, false);
    assertThat(dirty).isEqualTo(1);

    var unused = flushed();
    writer.ping(3, false);
    assertThat(dirty).isEqualTo(2);
  }
}
