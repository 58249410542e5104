package io.outrigger.proxy.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Against the real allocator: a change of what it keeps, and when, shows here. */
class IdleChunksTest {
  private static final long MIB = 1 << 20;

  private final AdaptiveByteBufAllocator allocator = new AdaptiveByteBufAllocator(true);

  @Test
  void chunksOfAnOverloadThatIsOverAreGivenBack() throws Exception {
    var loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      loops.submit(() -> fill(64 * MIB).forEach(ByteBuf::release)).get(30, TimeUnit.SECONDS);
      assertThat(allocator.usedDirectMemory()).as("kept for reuse").isGreaterThan(32 * MIB);

      IdleChunks.release(allocator);

      assertThat(allocator.usedDirectMemory()).isLessThan(8 * MIB);
    } finally {
      loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whatIsInUseStays() {
    List<ByteBuf> used = fill(16 * MIB);

    IdleChunks.release(allocator);

    assertThat(allocator.usedDirectMemory()).isGreaterThanOrEqualTo(16 * MIB);
    for (int i = 0; i < used.size(); i++) {
      assertThat(used.get(i).getInt(0)).isEqualTo(i);
      used.get(i).release();
    }
  }

  private List<ByteBuf> fill(long bytes) {
    List<ByteBuf> filled = new ArrayList<>();
    for (int i = 0; i < bytes >> 16; i++) {
      filled.add(allocator.directBuffer(64 << 10).setInt(0, i));
    }
    return filled;
  }
}
