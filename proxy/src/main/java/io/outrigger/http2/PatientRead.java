package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.DelegatingHandle;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.RecvByteBufAllocator.Handle;
import io.netty.util.UncheckedBooleanSupplier;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.OutOfMemory;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one socket that outlast a moment in which others have all buffers. Netty ends the input
 * of a channel that finds none, and with it the calls of those who are not to blame; the rule ends
 * who is, but needs a tick for it. So a read without a buffer is a small one, for which there is
 * often room where there is none for 64 KiB, and where there is not, it is tried again {@value
 * ReadGate#WAIT_MILLIS} ms later, {@value #MAX_WAITS} times. Then the connection ends.
 */
@LoopConfined
class PatientRead extends DelegatingHandle implements ExtendedHandle {
  /** Five seconds: many have been ended by then, or never will be. */
  static final int MAX_WAITS = 250;

  static final int SMALL_BYTES = 512;

  /** Null until the connection is there: who shakes hands is not waited for. */
  private @Nullable Waiter waiter;

  /** In a row. */
  private int waits;

  /** Whose socket it is. */
  interface Waiter {
    /** Reads no more for a moment. */
    void onNoBuffer();
  }

  /**
   * Says that there is no buffer now. It is thrown through Netty to the handler, which has nothing
   * left to do: for any other than an {@link OutOfMemoryError} the channel stays as it is.
   */
  static final class NoBufferNow extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoBufferNow(OutOfMemoryError cause) {
      super("no buffer for a read", cause, false, false);
    }
  }

  @SuppressWarnings("deprecation") // what a delegate has to be
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

  /** A buffer of the size that is due. */
  ByteBuf buffer(ByteBufAllocator allocator) {
    return super.allocate(allocator);
  }

  private ByteBuf small(ByteBufAllocator allocator, OutOfMemoryError none) {
    if (OutOfMemory.isOfJvm(none)) {
      throw none;
    }
    try {
      return allocator.ioBuffer(SMALL_BYTES);
    } catch (OutOfMemoryError noneAtAll) {
      if (waiter == null || OutOfMemory.isOfJvm(noneAtAll) || ++waits > MAX_WAITS) {
        throw noneAtAll;
      }
      waiter.onNoBuffer(); // before Netty asks whether to read on
      throw new NoBufferNow(noneAtAll);
    }
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
    return ((ExtendedHandle) delegate()).continueReading(maybeMoreData);
  }
}
