package io.outrigger.proxy.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * A copy of all that an app has sent after its headers, as long as the request may be sent again
 * (A6 "Memory Management", SC-33). It is a copy since the bytes themselves are parts of what was
 * read from the socket: to keep one small message would keep all that came with it.
 */
@LoopConfined
final class ReplayBuffer {
  /** Of one call (SC-33). */
  static final int MOST_BYTES = 256 << 10;

  /** Of all calls of a forward (SC-33). */
  static final long MOST_BYTES_OF_FORWARD = 16L << 20;

  private final ByteBudget budget;
  private @Nullable ByteBuf bytes;

  ReplayBuffer(ByteBudget budget) {
    this.budget = budget;
  }

  /**
   * Copies the readable bytes of {@code data}; false when there is no room, and nothing changes.
   */
  boolean keep(ByteBuf data) {
    int more = data.readableBytes();
    if (more == 0) {
      return true;
    }
    if (size() + more > MOST_BYTES || !budget.hold(more)) {
      return false;
    }
    if (bytes == null) {
      bytes = data.alloc().directBuffer(more);
    }
    bytes.writeBytes(data, data.readerIndex(), more);
    return true;
  }

  boolean isEmpty() {
    return bytes == null;
  }

  /** All bytes, for one attempt: what was sent may not change when the original grows. */
  ByteBuf copy() {
    return bytes == null ? Unpooled.EMPTY_BUFFER : bytes.copy();
  }

  void release() {
    if (bytes != null) {
      budget.letGo(size());
      bytes.release();
      bytes = null;
    }
  }

  private int size() {
    return bytes == null ? 0 : bytes.readableBytes();
  }
}
