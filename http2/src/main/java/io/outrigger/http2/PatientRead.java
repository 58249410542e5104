package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.DelegatingHandle;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.RecvByteBufAllocator.Handle;
import io.netty.util.UncheckedBooleanSupplier;
import io.outrigger.base.Exhaustion;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Retries reads of one socket while no buffer is available. Netty closes a channel that gets no
 * buffer for a read, although other connections may have exhausted the buffers. The memory rule
 * closes those connections, but only at its next tick. If no buffer of the usual size is available,
 * a buffer of {@value #SMALL_BYTES} bytes is tried, which is often available when 64 KiB are not.
 * If that fails too, the read is retried after {@value ReadGate#WAIT_MILLIS} ms, {@value
 * #MAX_WAITS} times in a row. After that the connection is closed.
 */
@LoopConfined
class PatientRead extends DelegatingHandle implements ExtendedHandle {
  /**
   * The maximum number of retries, which take five seconds. If the memory rule has not freed enough
   * buffers by then, it will not.
   */
  static final int MAX_WAITS = 250;

  static final int SMALL_BYTES = 512;

  /** Null during the TLS handshake, when reads are not retried. */
  private @Nullable Waiter waiter;

  /** The number of failed reads in a row. */
  private int waits;

  /** The owner of the socket. */
  interface Waiter {
    /** Pauses reading for a short time. */
    void onNoBuffer();
  }

  /**
   * Reports that no buffer is available now. The exception passes through Netty to {@link
   * Http2Handler}, which ignores it. Netty closes the channel after an {@link OutOfMemoryError},
   * but not after this exception.
   */
  static final class NoBufferNow extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoBufferNow(OutOfMemoryError cause) {
      super("no buffer for a read", cause, false, false);
    }
  }

  @SuppressWarnings("deprecation") // the type that DelegatingHandle requires
  PatientRead(Handle sizes) {
    super(sizes);
  }

  void waiter(Waiter waiter) {
    this.waiter = waiter;
  }

  @Override
  public final ByteBuf allocate(ByteBufAllocator allocator) {
    ByteBuf buffer;
    try {
      buffer = buffer(allocator);
    } catch (OutOfMemoryError none) {
      buffer = small(allocator, none);
    }
    waits = 0;
    return buffer;
  }

  /** Allocates a buffer of the usual size. */
  ByteBuf buffer(ByteBufAllocator allocator) {
    return super.allocate(allocator);
  }

  private ByteBuf small(ByteBufAllocator allocator, OutOfMemoryError none) {
    if (Exhaustion.isOfJvm(none)) {
      throw none;
    }
    try {
      return allocator.ioBuffer(SMALL_BYTES);
    } catch (OutOfMemoryError noneAtAll) {
      if (waiter == null || Exhaustion.isOfJvm(noneAtAll) || ++waits > MAX_WAITS) {
        throw noneAtAll;
      }
      waiter.onNoBuffer(); // called before Netty checks whether to continue reading
      throw new NoBufferNow(noneAtAll);
    }
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
    return ((ExtendedHandle) delegate()).continueReading(maybeMoreData);
  }
}
