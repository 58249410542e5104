package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * DATA of one stream that waits for windows or the socket. Small pieces are copied together, so
 * that a byte does not keep the whole buffer alive in which it was read.
 */
@LoopConfined
final class PendingData {
  private static final int CHUNK_BYTES = 4096;

  /** Made when it is first needed: most streams never wait. */
  private @Nullable Deque<ByteBuf> chunks;

  private int bytes;

  /** The last chunk, while small pieces may be added to it. */
  private @Nullable ByteBuf open;

  int bytes() {
    return bytes;
  }

  /** Appends {@code data}, which must have bytes, and owns it. */
  void add(ByteBuf data, ByteBufAllocator alloc) {
    int size = data.readableBytes();
    bytes += size;
    Deque<ByteBuf> queue = chunks;
    if (queue == null) {
      queue = new ArrayDeque<>(8);
      chunks = queue;
    }
    if (size > FrameWriter.COPY_BYTES) {
      open = null;
      queue.add(data);
      return;
    }
    ByteBuf chunk = open;
    if (chunk == null || chunk.writableBytes() < size) {
      chunk = alloc.buffer(CHUNK_BYTES, CHUNK_BYTES); // never moves: slices of it may be under way
      queue.add(chunk);
      open = chunk;
    }
    chunk.writeBytes(data);
    data.release();
  }

  /** The first bytes, at most {@code max} and at least one; the caller owns them. */
  ByteBuf take(int max) {
    Deque<ByteBuf> queue = chunks;
    if (queue == null) {
      throw new IllegalStateException("nothing is pending");
    }
    ByteBuf head = queue.getFirst();
    if (head.readableBytes() > max) {
      bytes -= max;
      return head.readRetainedSlice(max);
    }
    queue.removeFirst();
    if (queue.isEmpty()) {
      open = null;
    }
    bytes -= head.readableBytes();
    return head;
  }

  void release() {
    if (chunks != null) {
      chunks.forEach(ByteBuf::release);
      chunks = null;
    }
    open = null;
    bytes = 0;
  }
}
