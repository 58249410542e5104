package io.outrigger.proxy.forward;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.internal.PlatformDependent;
import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Whether buffers use more memory than allowed ({@code --max-memory}). Loops call {@link #sample}
 * each time that some DATA has come, and the control loop now and then; calls read one flag. While
 * it is exceeded requests that arrive are refused, and those under way end when more DATA comes for
 * a reader who is far behind (decision 0009).
 */
@AnyThread
public final class MemoryLimit {
  /** For where nobody limits: never exceeded. */
  public static final MemoryLimit NONE = new MemoryLimit(Long.MAX_VALUE, () -> 0, () -> {});

  /** How much of the JVM's own limit may be used before an allocation is likely to fail. */
  private static final double SAFE_SHARE = 0.9;

  private final long maxBytes;
  private final LongSupplier usedBytes;
  private final Runnable trim;
  private volatile boolean isShort;
  private volatile boolean exceeded;
  private final AtomicBoolean exceededSinceTrim = new AtomicBoolean();

  /**
   * @param trim has the allocator give up what it keeps and nobody uses
   */
  MemoryLimit(long maxBytes, LongSupplier usedBytes, Runnable trim) {
    this.maxBytes = maxBytes;
    this.usedBytes = usedBytes;
    this.trim = trim;
  }

  /**
   * A limit on what the buffers of all connections take together: {@code maxBytes}, or what the JVM
   * can give if that is less.
   */
  public static MemoryLimit ofBuffers(long maxBytes) {
    if (!(ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider)) {
      return NONE; // an allocator that somebody chose by a system property and that does not count
    }
    ByteBufAllocatorMetric metric = provider.metric();
    long jvmBytes = (long) (PlatformDependent.maxDirectMemory() * SAFE_SHARE);
    return new MemoryLimit(
        Math.min(maxBytes, jvmBytes),
        () -> metric.usedDirectMemory() + metric.usedHeapMemory(),
        () -> IdleChunks.release(ByteBufAllocator.DEFAULT));
  }

  /** Looks at the memory in use. */
  public void sample() {
    long used = usedBytes.getAsLong();
    isShort = used > maxBytes / 2;
    exceeded = used > maxBytes;
    if (exceeded) {
      exceededSinceTrim.set(true);
    }
  }

  /**
   * Looks at the memory in use, and when it is too much, at what is left of it without what the
   * allocator only keeps. Not for event loops: it may take some milliseconds.
   *
   * @return whether the limit was exceeded at any look since the last call
   */
  public boolean sampleAndTrim() {
    sample();
    if (exceeded) {
      trim.run();
      sample();
    }
    return exceededSinceTrim.getAndSet(exceeded);
  }

  /**
   * Whether half of it is in use: from then on a connection's streams hold no more than its window
   * together, which leaves the other half to requests that come.
   */
  public boolean isShort() {
    return isShort;
  }

  /** Whether requests that arrive are to be refused. */
  public boolean isExceeded() {
    return exceeded;
  }

  /** Memory outside of the heap that all buffers of the process take, the limited ones included. */
  public static long directBytes() {
    return Math.max(0, PlatformDependent.usedDirectMemory());
  }

  /** What is in use now. */
  public long usedBytes() {
    return usedBytes.getAsLong();
  }

  /** What may be used. */
  public long maxBytes() {
    return maxBytes;
  }
}
