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
 * "Memory Management", SC-33). The bytes are copied, since the originals are slices of read
 * buffers: a retained small message would retain the whole read buffer.
 */
@LoopConfined
final class ReplayBuffer {
  /** The maximum for one call (SC-33). */
  static final int MAX_BYTES = 256 << 10;

  /** The maximum for all calls of a forward (SC-33). */
  static final long MAX_BYTES_OF_FORWARD = 16L << 20;

  /** The largest copy that lies on the heap. */
  static final int HEAP_BYTES = 1 << 10;

  /** The bytes that all calls of the forward may keep. */
  private final Budget budget;

  /** Null until there are bytes to keep. */
  private @Nullable ByteBuf kept;

  /**
   * Whether some bytes were not copied, for lack of room or because none are needed. After this, no
   * more bytes are copied, since a copy with a gap is useless.
   */
  private boolean full;

  ReplayBuffer(Budget budget) {
    this.budget = budget;
  }

  /**
   * Copies as many of the first readable bytes of {@code data} as fit. Copies nothing after the
   * buffer was once full.
   *
   * @return the number of copied bytes
   */
  int keep(ByteBuf data) {
    int given = data.readableBytes();
    int more = full ? 0 : Math.min(given, MAX_BYTES - size());
    if (more > 0 && !budget.hold(more)) {
      more = 0;
    }
    full |= more < given;
    if (more == 0) {
      return 0;
    }
    try {
      withRoom(data.alloc(), more).writeBytes(data, data.readerIndex(), more);
    } catch (OutOfMemoryError e) { // the call can continue without a copy
      OutOfMemory.onLoop(e);
      full = true;
      budget.release(more);
      return 0;
    }
    return more;
  }

  /** The number of copied bytes. */
  int size() {
    return kept == null ? 0 : kept.readableBytes();
  }

  /** Small requests lie on the heap: memory outside of it costs a call of the C library each. */
  private ByteBuf withRoom(ByteBufAllocator alloc, int more) {
    ByteBuf known = kept;
    if (known == null) {
      known =
          more <= HEAP_BYTES
              ? Unpooled.buffer(more, HEAP_BYTES)
              : FallbackBuffers.buffer(alloc, more, MAX_BYTES);
    } else if (known.readableBytes() + more <= known.maxCapacity()) {
      known = FallbackBuffers.withRoom(known, more);
    } else {
      ByteBuf larger = FallbackBuffers.buffer(alloc, known.readableBytes() + more, MAX_BYTES);
      larger.writeBytes(known);
      known.release();
      known = larger;
    }
    kept = known;
    return known;
  }

  boolean isEmpty() {
    return size() == 0;
  }

  /**
   * Returns a copy of all bytes for one attempt, since sent data must not change when this buffer
   * grows.
   */
  ByteBuf copy() {
    ByteBuf all = kept;
    if (all == null) {
      return Unpooled.EMPTY_BUFFER;
    }
    int size = all.readableBytes();
    ByteBuf copy = FallbackBuffers.buffer(all.alloc(), size, size);
    return copy.writeBytes(all, all.readerIndex(), size);
  }

  /** Copies no more bytes; what was copied stays. */
  void stop() {
    full = true;
  }

  /** Drops the copy and copies no more bytes. */
  void release() {
    stop();
    if (kept != null) {
      budget.release(size());
      kept.release();
      kept = null;
    }
  }
}
