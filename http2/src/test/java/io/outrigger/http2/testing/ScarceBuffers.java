package io.outrigger.http2.testing;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.outrigger.base.AnyThread;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** An allocator that has buffers up to a size only, while somebody says so. */
@AnyThread
public final class ScarceBuffers extends AbstractByteBufAllocator {
  /** As Netty's at its limit, which is of a class of its own too. */
  public static final class None extends OutOfMemoryError {
    private static final long serialVersionUID = 1;
  }

  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicBoolean nextIsRefused = new AtomicBoolean();
  private volatile int most = Integer.MAX_VALUE;
  private volatile boolean jvmIsFull;

  public ScarceBuffers() {
    super(true);
  }

  /** From now on there are none above {@code bytes}. */
  public void most(int bytes) {
    most = bytes;
  }

  /** From now on there are enough. */
  public void plenty() {
    most = Integer.MAX_VALUE;
    nextIsRefused.set(false);
  }

  /** From now on it is the JVM that has no memory. */
  public void jvmIsFull() {
    jvmIsFull = true;
  }

  /** The JVM has no memory for the next one. */
  public void refuseNext() {
    nextIsRefused.set(true);
  }

  /** How many were asked for and not had. */
  public int refused() {
    return refused.get();
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    check(initialCapacity);
    return toLeakAwareBuffer(new Scarce(this, initialCapacity, maxCapacity));
  }

  private void check(int bytes) {
    if (nextIsRefused.get() && nextIsRefused.getAndSet(false)) {
      refused.incrementAndGet();
      throw new OutOfMemoryError("for a test");
    }
    if (bytes > most) {
      refused.incrementAndGet();
      throw jvmIsFull ? new OutOfMemoryError("for a test") : new None();
    }
  }

  /** Grows no further than others may be large. */
  private static final class Scarce extends UnpooledDirectByteBuf {
    private final ScarceBuffers alloc;

    Scarce(ScarceBuffers alloc, int initialCapacity, int maxCapacity) {
      super(alloc, initialCapacity, maxCapacity);
      this.alloc = alloc;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
      if (newCapacity > capacity()) {
        alloc.check(newCapacity);
      }
      return super.capacity(newCapacity);
    }
  }

  @Override
  public boolean isDirectBufferPooled() {
    return true; // else an I/O buffer is one of the heap where it has no cleaner of its own
  }
}
