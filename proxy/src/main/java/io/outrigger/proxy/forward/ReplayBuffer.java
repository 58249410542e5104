package io.outrigger.proxy.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * A copy of all that an app has sent after its headers, as long as the request may be sent again
 * (A6 "Memory Management", SC-33). It is a copy since the bytes themselves are parts of what was
 * read from the socket: to keep one small message would keep all that came with it.
 *
 * <p>There are two kinds. A call with a retry policy has room for a large request, out of what all
 * calls of its forward share. Any other may only be refused (SC-34); what is kept for that is less
 * than the stream's window lets an app have in here anyway, so that no budget counts it.
 *
 * <p>The first bytes are kept in an array of the loop, which costs next to nothing; only a request
 * that does not fit gets a buffer.
 */
@LoopConfined
final class ReplayBuffer {
  /** Of one call with a policy (SC-33). */
  static final int MOST_BYTES = 256 << 10;

  /** Of one call without: a copy that is cheap beside the call (decision 0013). */
  static final int MOST_BYTES_WITHOUT_POLICY = 4 << 10;

  /** Of all calls of a forward (SC-33). */
  static final long MOST_BYTES_OF_FORWARD = 16L << 20;

  private final SmallCopies arrays;
  private final @Nullable ByteBudget budget;
  private byte @Nullable [] small;

  /** Has everything once there is one. */
  private @Nullable ByteBuf large;

  private int size;

  private ReplayBuffer(SmallCopies arrays, @Nullable ByteBudget budget) {
    this.arrays = arrays;
    this.budget = budget;
  }

  /** For the attempts that a policy allows. */
  static ReplayBuffer forPolicy(SmallCopies arrays, ByteBudget budget) {
    return new ReplayBuffer(arrays, budget);
  }

  /** For the one attempt after a refusal. */
  static ReplayBuffer forRefusal(SmallCopies arrays) {
    return new ReplayBuffer(arrays, null);
  }

  /** Whether a policy wants it: then it matters that a request outgrows it. */
  boolean isForPolicy() {
    return budget != null;
  }

  /**
   * Copies the readable bytes of {@code data}; false when there is no room, and nothing changes.
   */
  boolean keep(ByteBuf data) {
    int more = data.readableBytes();
    if (more == 0) {
      return true;
    }
    if (size + more > mostBytes() || (budget != null && !budget.hold(more))) {
      return false;
    }
    if (large == null && size + more <= SmallCopies.BYTES) {
      data.getBytes(data.readerIndex(), array(), size, more);
    } else {
      buffer(data.alloc(), size + more).writeBytes(data, data.readerIndex(), more);
    }
    size += more;
    return true;
  }

  private byte[] array() {
    byte[] known = small;
    if (known == null) {
      known = arrays.take();
      small = known;
    }
    return known;
  }

  /** The buffer, with what the array had. */
  private ByteBuf buffer(ByteBufAllocator alloc, int capacity) {
    ByteBuf known = large;
    if (known == null) {
      known = alloc.directBuffer(capacity);
      large = known;
      if (small != null) {
        known.writeBytes(small, 0, size);
        giveBackArray();
      }
    }
    return known;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** All bytes, for one attempt: what was sent may not change when the original grows. */
  ByteBuf copy() {
    if (large != null) {
      return large.copy();
    }
    return small == null ? Unpooled.EMPTY_BUFFER : Unpooled.copiedBuffer(small, 0, size);
  }

  void release() {
    if (budget != null) {
      budget.letGo(size);
    }
    size = 0;
    giveBackArray();
    if (large != null) {
      large.release();
      large = null;
    }
  }

  private void giveBackArray() {
    if (small != null) {
      arrays.giveBack(small);
      small = null;
    }
  }

  private int mostBytes() {
    return budget == null ? MOST_BYTES_WITHOUT_POLICY : MOST_BYTES;
  }
}
