package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.FallbackBuffers;
import io.outrigger.dataplane.memory.OutOfMemory;
import org.jspecify.annotations.Nullable;

/**
 * A copy of the beginning of what an app has sent after its headers, as long as the request may be
 * sent again (A6 "Memory Management", SC-33). It is a copy since the bytes themselves are parts of
 * what was read from the socket: to keep one small message would keep all that came with it.
 *
 * <p>There are two kinds. A call with a retry policy has room for a large request, out of what all
 * calls of its forward share. Any other may only be refused (SC-34), and a backend that refuses a
 * stream grants it no more than the window it begins with: that is what is kept.
 *
 * <p>The first bytes are kept in an array of the loop, which costs next to nothing; only a request
 * that does not fit gets a buffer.
 */
@LoopConfined
final class ReplayBuffer {
  /** Of one call with a policy (SC-33). */
  static final int MAX_BYTES = 256 << 10;

  /** Of one call without: the first window of a stream (decision proxy-0025). */
  static final int MAX_BYTES_WITHOUT_POLICY = 64 << 10;

  /** Of all calls of a forward (SC-33). */
  static final long MAX_BYTES_OF_FORWARD = 16L << 20;

  private final SmallCopies arrays;
  private final @Nullable ByteBudget budget;
  private byte @Nullable [] small;

  /** Has everything once there is one. */
  private @Nullable ByteBuf large;

  private int size;

  /** Whether there was no room for something: what follows would leave a gap. */
  private boolean full;

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
   * Copies as many of the first readable bytes of {@code data} as there is room for, none after it
   * was full once.
   *
   * @return how many
   */
  int keep(ByteBuf data) {
    int given = data.readableBytes();
    int more = full ? 0 : Math.min(given, mostBytes() - size);
    if (more > 0 && budget != null && !budget.hold(more)) {
      more = 0;
    }
    full |= more < given;
    if (more == 0) {
      return 0;
    }
    try {
      if (large == null && size + more <= SmallCopies.BYTES) {
        data.getBytes(data.readerIndex(), array(), size, more);
      } else {
        buffer(data.alloc(), more).writeBytes(data, data.readerIndex(), more);
      }
    } catch (OutOfMemoryError e) { // what is sent needs no copy
      OutOfMemory.onLoop(e);
      full = true;
      if (budget != null) {
        budget.letGo(more);
      }
      return 0;
    }
    size += more;
    return more;
  }

  /** How many bytes it has. */
  int size() {
    return size;
  }

  private byte[] array() {
    byte[] known = small;
    if (known == null) {
      known = arrays.take();
      small = known;
    }
    return known;
  }

  /** The buffer, with what the array had and room for {@code more}. */
  private ByteBuf buffer(ByteBufAllocator alloc, int more) {
    ByteBuf known = large;
    if (known == null) {
      known = FallbackBuffers.buffer(alloc, size + more, MAX_BYTES);
      if (small != null) {
        known.writeBytes(small, 0, size);
        giveBackArray();
      }
    } else {
      known = FallbackBuffers.withRoom(known, more);
    }
    large = known;
    return known;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** All bytes, for one attempt: what was sent may not change when the original grows. */
  ByteBuf copy() {
    ByteBuf all = large;
    if (all != null) {
      ByteBuf copy = FallbackBuffers.buffer(all.alloc(), size, size);
      return copy.writeBytes(all, all.readerIndex(), size);
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
    return budget == null ? MAX_BYTES_WITHOUT_POLICY : MAX_BYTES;
  }
}
