package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.http2.testing.Frames;
import io.outrigger.http2.testing.ScarceBuffers;
import io.outrigger.testing.Conformance;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Frames written while no buffers are available: no frame is lost, and the order is kept. */
final class ScarceOutputTest {
  private final ScarceBuffers buffers = new ScarceBuffers();
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter());
  private int dirty;
  private final FrameWriter writer =
      new FrameWriter(channel.pipeline().firstContext(), () -> dirty++);

  @BeforeEach
  void takeBuffersFromHere() {
    channel.config().setAllocator(buffers);
  }

  @AfterEach
  void close() {
    writer.release();
    channel.finishAndReleaseAll();
  }

  private byte[] sent() {
    CompositeByteBuf all = Unpooled.compositeBuffer();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      assertThat(out.isDirect()).as("what the socket takes without a copy").isTrue();
      all.addComponent(true, out);
    }
    byte[] bytes = ByteBufUtil.getBytes(all);
    all.release();
    return bytes;
  }

  private static ByteBuf data(int bytes) {
    return Unpooled.directBuffer(bytes).writeZero(bytes);
  }

  @Test
  @Conformance("SC-38")
  void framesWaitForABuffer() {
    buffers.most(0);
    writer.ping(1, false);
    writer.flush();
    assertThat(sent()).isEmpty();
    assertThat(writer.isWritable()).isFalse();
    assertThat(writer.hasRoomForHeaders()).isFalse();
    assertThat(writer.awaitsDirectBuffer()).isTrue();
    writer.flush();
    writer.ping(2, false);
    writer.flush();
    assertThat(sent()).isEmpty();

    buffers.most(34);
    writer.flush();

    assertThat(sent()).isEqualTo(Frames.join(ping(1), ping(2)));
    assertThat(writer.isWritable()).isTrue();
    assertThat(writer.hasRoomForHeaders()).isTrue();
  }

  private static byte[] ping(int opaque) {
    return Frames.frame(Frames.PING, 0, 0, new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) opaque});
  }

  /** The header and the payload of a frame are sent through the same buffer. */
  @Test
  void dataThatIsThereWaitsTooAndStaysBehindItsHead() {
    buffers.most(0);
    ByteBuf large = data(3_000);
    writer.data(1, large, false);
    writer.data(3, data(10), true);
    writer.flush();
    assertThat(large.refCnt()).isZero();
    assertThat(sent()).isEmpty();

    buffers.most(Integer.MAX_VALUE);
    writer.flush();

    assertThat(sent())
        .isEqualTo(
            Frames.join(
                Frames.data(1, 0, new byte[3_000]),
                Frames.data(3, Frames.END_STREAM, new byte[10])));
  }

  @Test
  void aBufferThatCannotGrowGoesOnElsewhere() {
    writer.data(1, data(200), false);
    buffers.most(0);
    writer.data(1, data(2_000), false);
    writer.flush();
    assertThat(sent()).isEmpty();

    buffers.most(Integer.MAX_VALUE);
    writer.flush();

    assertThat(sent())
        .isEqualTo(
            Frames.join(Frames.data(1, 0, new byte[200]), Frames.data(1, 0, new byte[2_000])));
  }

  /** Entries of a block that was encoded but not sent are missing in the peer's table. */
  @Test
  void nothingLeavesBehindAFrameThatCouldNotBeWritten() {
    writer.headers(1, HeaderList.builder(1).add(KnownName.STATUS, "200").build(), false);
    writer.data(1, data(200), false);
    buffers.most(0);
    buffers.jvmIsFull();
    writer.data(1, data(2_000), false);
    buffers.most(Integer.MAX_VALUE);

    assertThat(writer.failure()).isNotNull();
    assertThat(writer.isWritable()).isFalse();
    assertThat(writer.hasRoomForHeaders()).isFalse();
    writer.ping(1, false);
    writer.flush();
    assertThat(sent()).isEmpty();
  }

  /** The caller of a write may be processing a read of another connection. */
  @Test
  void aLackOfTheJvmFailsTheWriterAndNobodyElse() {
    buffers.most(0);
    buffers.jvmIsFull();

    writer.clientPreface();
    writer.settings(ConnectionSettings.DEFAULT, true);
    writer.goAway(1, Http2Error.NO_ERROR, "x".repeat(1_000));
    writer.headers(1, HeaderList.builder(1).add(KnownName.STATUS, "200").build(), false);
    ByteBuf small = data(10);
    writer.data(1, small, false);
    ByteBuf large = data(3_000);
    writer.data(1, large, true);
    writer.reset(1, Http2Error.CANCEL);
    writer.flush();

    assertThat(writer.failure()).isNotNull();
    assertThat(dirty).isPositive();
    assertThat(small.refCnt()).isZero();
    assertThat(large.refCnt()).isZero();
    assertThat(sent()).isEmpty();
  }
}
