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
 *
 * <p>There are two kinds of buffers. The buffer of a call with a retry policy holds a large request
 * and takes its room from the budget of the forward. The buffer of any other call serves only
 * transparent retries (SC-34). A buffer for transparent retries holds at most the initial window of
 * a stream, since a backend that refuses a stream grants no more than this window.
 */
@LoopConfined
final class ReplayBuffer {
  /** The maximum for one call with a retry policy (SC-33). */
  static final int MAX_BYTES = 256 << 10;

  /**
   * The maximum for one call without a retry policy: the initial window of a stream (decision
   * proxy-0025).
   */
  static final int MAX_BYTES_WITHOUT_POLICY = 64 << 10;

  /** The maximum for all calls of a forward with a retry policy (SC-33). */
  static final long MAX_BYTES_OF_FORWARD = 16L << 20;

  /** The largest copy that lies on the heap. */
  static final int HEAP_BYTES = 1 << 10;

  /** The budget of the retry policy's calls; null without a retry policy. */
  private final @Nullable Budget budget;

  /** Null until there are bytes to keep. */
  private @Nullable ByteBuf kept;

  /**
   * Whether some bytes were not copied for lack of room. After this, no more bytes are copied,
   * since a copy with a gap is useless.
   */
  private boolean full;

  private ReplayBuffer(@Nullable Budget budget) {
    this.budget = budget;
  }

  /** Creates a buffer for the retries that a retry policy allows. */
  static ReplayBuffer forPolicy(Budget budget) {
    return new ReplayBuffer(budget);
  }

  /** Creates a buffer for transparent retries. */
  static ReplayBuffer forRefusal() {
    return new ReplayBuffer(null);
  }

  /**
   * Whether this buffer serves a retry policy. Requests that outgrow the buffer are counted only
   * with a retry policy.
   */
  boolean isForPolicy() {
    return budget != null;
  }

  /**
   * Copies as many of the first readable bytes of {@code data} as fit. Copies nothing after the
   * buffer was once full.
   *
   * @return the number of copied bytes
   */
  int keep(ByteBuf data) {
    int given = data.readableBytes();
    int more = full ? 0 : Math.min(given, maxBytes() - size());
    if (more > 0 && budget != null && !budget.hold(more)) {
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
      if (budget != null) {
        budget.release(more);
      }
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

  void release() {
    if (budget != null) {
      budget.release(size());
    }
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }

  private int maxBytes() {
    return budget == null ? MAX_BYTES_WITHOUT_POLICY : MAX_BYTES;
  }
}
