package io.outrigger.proxy.memory;

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
   * Whether buffers take half of what there is, and half of that is not held for peers: it may be
   * kept for later alone.
   */
  public boolean mayBeIdle(MemoryLedger ledger) {
    long limit = ledger.limits().directBytes();
    long used = usedBytes();
    return used > limit / 2 && used - ledger.directBytes() > limit / 4;
  }

  /**
   * Has the allocator give up what it only keeps for later. Takes some milliseconds: not for event
   * loops.
   *
   * @return how many bytes less it takes
   */
  public long releaseIdle() {
    long used = usedBytes();
    IdleChunks.release(ByteBufAllocator.DEFAULT);
    return used - usedBytes();
  }
}
