package io.outrigger.proxy.memory;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.internal.PlatformDependent;
import io.outrigger.base.AnyThread;
import java.util.Optional;

/** What Netty's allocator takes for the buffers of the process, whoever holds them. */
@AnyThread
public final class BufferMemory {
  private final Optional<ByteBufAllocatorMetric> metric;

  private BufferMemory(Optional<ByteBufAllocatorMetric> metric) {
    this.metric = metric;
  }

  /** That of the default allocator, which all channels use. */
  public static BufferMemory ofDefaultAllocator() {
    return new BufferMemory(
        ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider
            ? Optional.of(provider.metric())
            : Optional.empty()); // one that somebody chose by a system property
  }

  /** What the allocator holds, also what it only keeps for later; 0 where it does not count. */
  public long usedBytes() {
    return metric.map(m -> m.usedDirectMemory() + m.usedHeapMemory()).orElse(0L);
  }

  /** Memory outside of the heap that all buffers of the process take. */
  public static long directBytes() {
    return Math.max(0, PlatformDependent.usedDirectMemory());
  }

  /** What buffers take of {@code limit} where they may take {@code all}. One volatile read. */
  public static long shareInUse(long limit, long all) {
    return (long) ((double) limit / all * directBytes());
  }

  /**
   * Has the allocator give up what it only keeps for later, where that is much and little of it is
   * held for peers. Takes some milliseconds: not for event loops.
   */
  public void trim(MemoryLedger ledger) {
    if (!(ByteBufAllocator.DEFAULT instanceof AdaptiveByteBufAllocator)) {
      return; // keeps nothing, or gives it up by itself
    }
    long used = usedBytes();
    if (used > ledger.limits().directBytes() / 2 && used > 2 * ledger.directBytes()) {
      IdleChunks.release(ByteBufAllocator.DEFAULT);
    }
  }
}
