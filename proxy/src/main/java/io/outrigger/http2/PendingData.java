package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.FallbackBuffers;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * DATA of one stream that waits: for windows, for the socket, or for somebody to send it to.
 *
 * <p>A slice keeps the whole buffer alive in which it was read, and what else was in there may have
 * gone long ago. So small pieces are copied together as they come; and larger ones, when the next
 * read buffer begins, if all that this stream has of the last one is less than half of it. A stream
 * that stands still thus pins at most twice what waits, and one read buffer more; a byte is copied
 * at most once. What waits only until a socket has room again is not copied: that would cost
 * streams that flow.
 */
@LoopConfined
public final class PendingData {
  private static final int CHUNK_BYTES = 4096;

  /** What may wait for a full socket before it counts as standing still. */
  private static final int FLOWING_BYTES = 64 << 10;

  /** Made when it is first needed: most streams never wait. */
  private @Nullable Deque<ByteBuf> chunks;

  private int bytes;

  /** The read buffer of which the last chunks are slices; null when they are copies. */
  private @Nullable ByteBuf source;

  /** How many bytes those had when they came. */
  private int sliceBytes;

  /** The last chunk, while small pieces may be added to it. */
  private @Nullable ByteBuf open;

  public int bytes() {
    return bytes;
  }

  public boolean isEmpty() {
    return bytes == 0;
  }

  /**
   * Appends {@code data}, which must have bytes, and owns it.
   *
   * @param windowClosed whether the reader of this stream has stopped
   */
  public void add(ByteBuf data, boolean windowClosed, ByteBufAllocator alloc) {
    int size = data.readableBytes();
    Deque<ByteBuf> queue = chunks;
    if (queue == null) {
      queue = new ArrayDeque<>(8);
      chunks = queue;
    }
    if (size > FrameWriter.COPY_BYTES) {
      open = null;
      addSlice(queue, data, windowClosed, alloc);
      bytes += size;
      return;
    }
    settleSource(queue, windowClosed, alloc);
    ByteBuf chunk = open;
    if (chunk == null || chunk.writableBytes() < size) {
      try { // never moves: slices of it may be under way
        chunk = FallbackBuffers.buffer(alloc, CHUNK_BYTES, CHUNK_BYTES);
      } catch (OutOfMemoryError e) {
        data.release();
        throw e;
      }
      queue.add(chunk);
      open = chunk;
    }
    chunk.writeBytes(data);
    data.release();
    bytes += size;
  }

  @SuppressWarnings("ReferenceEquality") // a buffer is itself
  private void addSlice(
      Deque<ByteBuf> queue, ByteBuf data, boolean windowClosed, ByteBufAllocator alloc) {
    ByteBuf from = sourceOf(data);
    if (from != source) {
      settleSource(queue, windowClosed, alloc);
      source = from;
    }
    queue.add(data);
    sliceBytes += data.readableBytes();
  }

  /** Lets go of the last read buffer too, if little of it is here: others may have parts of it. */
  void settle(ByteBufAllocator alloc) {
    if (chunks != null) {
      settleSource(chunks, true, alloc);
    }
  }

  /**
   * The last read buffer is done with: copies what is here of it, unless that is most of it, or
   * there is no room for a copy.
   */
  private void settleSource(Deque<ByteBuf> queue, boolean windowClosed, ByteBufAllocator alloc) {
    ByteBuf done = source;
    int size = Math.min(sliceBytes, bytes); // some may have left
    source = null;
    sliceBytes = 0;
    boolean flows = !windowClosed && bytes <= FLOWING_BYTES;
    if (done == null || size == 0 || flows || size >= done.capacity() / 2) {
      return;
    }
    ByteBuf copy;
    try {
      copy = alloc.buffer(size, size).writerIndex(size);
    } catch (OutOfMemoryError e) {
      OutOfMemory.onLoop(e);
      return;
    }
    for (int at = size; at > 0; ) { // from the last to the first
      ByteBuf slice = queue.removeLast();
      at -= slice.readableBytes();
      copy.setBytes(at, slice, slice.readerIndex(), slice.readableBytes());
      slice.release();
    }
    queue.add(copy);
  }

  private static ByteBuf sourceOf(ByteBuf data) {
    ByteBuf source = data;
    for (ByteBuf under = data.unwrap(); under != null; under = under.unwrap()) {
      source = under;
    }
    return source;
  }

  /** The first bytes, at most {@code max} and at least one; the caller owns them. */
  public ByteBuf take(int max) {
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
    ByteBuf next = queue.peekFirst();
    if (next == null) {
      open = null;
      source = null;
      sliceBytes = 0;
    }
    bytes -= head.readableBytes();
    return head;
  }

  /** Drops the first {@code count} bytes; at most {@link #bytes}. */
  public void skip(int count) {
    int left = count;
    while (left > 0) {
      ByteBuf part = take(left);
      left -= part.readableBytes();
      part.release();
    }
  }

  public void release() {
    if (chunks != null) {
      chunks.forEach(ByteBuf::release);
      chunks = null;
    }
    open = null;
    source = null;
    sliceBytes = 0;
    bytes = 0;
  }
}
