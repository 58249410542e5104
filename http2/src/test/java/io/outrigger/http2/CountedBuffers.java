package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;

/** An allocator that counts the buffers that were not released. */
final class CountedBuffers {
  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);

  /** Puts {@code connection} on a channel that uses this allocator. */
  EmbeddedChannel channel(EmbeddedChannel channel, ChannelHandler connection) {
    channel.config().setAllocator(alloc);
    channel.pipeline().addLast(connection);
    return channel;
  }

  ByteBuf copy(byte[] bytes) {
    return alloc.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
  }

  ByteBuf copy(byte[] bytes, int offset, int length) {
    return alloc.directBuffer(Math.max(1, length)).writeBytes(bytes, offset, length);
  }

  void checkAllReleased() {
    long kept = alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory();
    assertThat(kept).as("bytes of buffers that were not released").isZero();
  }
}
