package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.http2.FallbackBuffers;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the first bytes of a request's body, kept while the request may be sent again (A6
 * "Memory Management", SC-33). The bytes are copied because the originals are slices of read
 * buffers: a small message would keep the whole read buffer in memory.
 */
@LoopConfined
final class ReplayBuffer {
  /** The maximum number of copied bytes of one call (SC-33). */
  static final int MAX_BYTES = 256 << 10;

  /** The maximum number of copied bytes of all calls of a forward (SC-33). */
  static final long MAX_BYTES_OF_FORWARD = 16L << 20;

  /** The maximum size of {@link #small}, which avoids the malloc of a buffer outside the heap. */
  static final int ARRAY_BYTES = 1 << 10;

  private final Budget budget;

  /** All copied bytes if they came in one piece of up to {@link #ARRAY_BYTES}; otherwise null. */
  private byte @Nullable [] small;

  /** All copied bytes if {@link #small} does not have them; otherwise null. */
  private @Nullable ByteBuf large;

  private int size;

  /**
   * Whether copying has stopped: it stops at the first byte that does not fit, because a copy with
   * a gap is useless.
   */
  private boolean full;

  ReplayBuffer(Budget budget) {
    this.budget = budget;
  }

  /**
   * Copies the readable bytes of a buffer, in order, until a limit is reached. After a buffer that
   * did not fit, nothing more is copied.
   *
   * @return the number of copied bytes
   */
  int keep(ByteBuf data) {
    int readable = data.readableBytes();
    int more = full ? 0 : Math.min(readable, MAX_BYTES - size);
    if (more > 0 && !budget.hold(more)) {
      more = 0;
    }
    full |= more < readable;
    if (more == 0) {
      return 0;
    }
    try {
      if (size == 0 && more <= ARRAY_BYTES) {
        byte[] array = new byte[more];
        data.getBytes(data.readerIndex(), array);
        small = array;
      } else {
        withRoom(data.alloc(), more).writeBytes(data, data.readerIndex(), more);
      }
    } catch (OutOfMemoryError e) { // the call can continue without a copy
      OutOfMemory.onLoop(e);
      full = true;
      budget.release(more);
      return 0;
    }
    size += more;
    return more;
  }

  int size() {
    return size;
  }

  /** Returns {@link #large} with more space, after moving the bytes of {@link #small} to it. */
  private ByteBuf withRoom(ByteBufAllocator alloc, int more) {
    ByteBuf buffer = large;
    if (buffer == null) {
      buffer = FallbackBuffers.buffer(alloc, size + more, MAX_BYTES);
      if (small != null) {
        buffer.writeBytes(small);
        small = null;
      }
    } else {
      buffer = FallbackBuffers.withRoom(buffer, more);
    }
    large = buffer;
    return buffer;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns a copy of all bytes, because sent data must not change when this buffer grows. */
  ByteBuf copy() {
    if (small != null) {
      return Unpooled.wrappedBuffer(small); // can be shared, because no code changes the array
    }
    ByteBuf all = large;
    if (all == null) {
      return Unpooled.EMPTY_BUFFER;
    }
    ByteBuf copy = FallbackBuffers.buffer(all.alloc(), size, size);
    return copy.writeBytes(all, all.readerIndex(), size);
  }

  /** Stops copying, but keeps the bytes that are already copied. */
  void stop() {
    full = true;
  }

  /** Drops the copy and copies no more bytes. */
  void release() {
    stop();
    if (size > 0) { // most calls release an empty buffer once more when they end
      budget.release(size);
      size = 0;
      small = null;
    }
    if (large != null) {
      large.release();
      large = null;
    }
  }
}
