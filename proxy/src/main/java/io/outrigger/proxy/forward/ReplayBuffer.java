package io.outrigger.proxy.forward;

import io.netty.buffer.ByteBuf;
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
 */
@LoopConfined
final class ReplayBuffer {
  /** Of one call with a policy (SC-33). */
  static final int MOST_BYTES = 256 << 10;

  /** Of one call without: a copy that is cheap beside the call (decision 0013). */
  static final int MOST_BYTES_WITHOUT_POLICY = 4 << 10;

  /** Of all calls of a forward (SC-33). */
  static final long MOST_BYTES_OF_FORWARD = 16L << 20;

  private final @Nullable ByteBudget budget;
  private @Nullable ByteBuf bytes;

  private ReplayBuffer(@Nullable ByteBudget budget) {
    this.budget = budget;
  }

  /** For the attempts that a policy allows. */
  static ReplayBuffer forPolicy(ByteBudget budget) {
    return new ReplayBuffer(budget);
  }

  /** For the one attempt after a refusal. */
  static ReplayBuffer forRefusal() {
    return new ReplayBuffer(null);
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
    if (size() + more > mostBytes() || (budget != null && !budget.hold(more))) {
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
      if (budget != null) {
        budget.letGo(size());
      }
      bytes.release();
      bytes = null;
    }
  }

  private int mostBytes() {
    return budget == null ? MOST_BYTES_WITHOUT_POLICY : MOST_BYTES;
  }

  private int size() {
    return bytes == null ? 0 : bytes.readableBytes();
  }
}
