package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The DATA of one stream, waiting for a window, for the socket, or for the stream's turn.
 *
 * <p>A slice keeps its whole read buffer in memory. Small pieces are copied into a common chunk
 * when they are added. A large piece is added as a slice. When a slice of another read buffer is
 * added later, the slices of the previous read buffer are copied if they take less than half of
 * that buffer. A stalled stream holds at most twice the size of its pending data, plus one read
 * buffer. Each byte is copied at most once. Data that waits for nothing but room in the socket is
 * not copied, because copies would slow down streams that make progress.
 */
@LoopConfined
public final class PendingData {
  private static final int CHUNK_BYTES = 4096;

  /** The number of bytes that may wait for a full socket before the stream counts as stalled. */
  private static final int FLOWING_BYTES = 64 << 10;

  private final Deque<ByteBuf> chunks = new ArrayDeque<>(8);
  private int bytes;

  /** The read buffer of which the last chunks are slices; null if the last chunk is a copy. */
  private @Nullable ByteBuf source;

  /** The total size of the slices of {@link #source} when they were added. */
  private int sliceBytes;

  /** The last chunk, if small pieces can be added to it; otherwise null. */
  private @Nullable ByteBuf open;

  public int bytes() {
    return bytes;
  }

  public boolean isEmpty() {
    return bytes == 0;
  }

  /**
   * Appends {@code data}, which must not be empty, and takes ownership of it.
   *
   * @param windowClosed whether the stream is stalled by a closed flow-control window
   */
  public void add(ByteBuf data, boolean windowClosed, ByteBufAllocator alloc) {
    int size = data.readableBytes();
    if (size > FrameWriter.COPY_BYTES) {
      open = null;
      addSlice(data, windowClosed, alloc);
      bytes += size;
      return;
    }
    settle(windowClosed, alloc);
    ByteBuf chunk = open;
    if (chunk == null || chunk.writableBytes() < size) {
      try { // cannot grow, because slices of the chunk may be in use
        chunk = FallbackBuffers.buffer(alloc, CHUNK_BYTES, CHUNK_BYTES);
      } catch (OutOfMemoryError e) {
        data.release();
        throw e;
      }
      chunks.add(chunk);
      open = chunk;
      source = null;
    }
    chunk.writeBytes(data);
    data.release();
    bytes += size;
  }

  @SuppressWarnings("ReferenceEquality") // compares the buffers, not their bytes
  private void addSlice(ByteBuf data, boolean windowClosed, ByteBufAllocator alloc) {
    ByteBuf from = sourceOf(data);
    if (from != source) {
      settle(windowClosed, alloc);
      source = from;
      sliceBytes = 0;
    }
    chunks.add(data);
    sliceBytes += data.readableBytes();
  }

  /**
   * Copies the slices of the last read buffer, so that the buffer can be released. Does nothing if
   * the slices take at least half of the buffer, the stream makes progress, or memory is lacking.
   */
  void settle(boolean windowClosed, ByteBufAllocator alloc) {
    ByteBuf done = source;
    int size = Math.min(sliceBytes, bytes); // fewer if slices were taken already
    source = null;
    boolean flows = !windowClosed && bytes <= FLOWING_BYTES;
    if (done == null || size == 0 || flows || size >= done.capacity() / 2) {
      return;
    }
    ByteBuf copy;
    try {
      copy = alloc.buffer(size, size).writerIndex(size);
    } catch (OutOfMemoryError none) {
      source = done; // for the next call; the next necessary allocation reports the lack
      return;
    }
    for (int at = size; at > 0; ) { // copies from the last slice to the first
      ByteBuf slice = chunks.removeLast();
      at -= slice.readableBytes();
      copy.setBytes(at, slice, slice.readerIndex(), slice.readableBytes());
      slice.release();
    }
    chunks.add(copy);
  }

  private static ByteBuf sourceOf(ByteBuf data) {
    ByteBuf source = data;
    for (ByteBuf under = data.unwrap(); under != null; under = under.unwrap()) {
      source = under;
    }
    return source;
  }

  /** Removes and returns at least one and at most {@code max} bytes, which the caller owns. */
  public ByteBuf take(int max) {
    ByteBuf head = chunks.getFirst();
    if (head.readableBytes() > max) {
      bytes -= max;
      return head.readRetainedSlice(max);
    }
    chunks.removeFirst();
    bytes -= head.readableBytes();
    if (chunks.isEmpty()) {
      forgetLast();
    }
    return head;
  }

  /** Drops the given number of bytes from the front; the number is at most {@link #bytes}. */
  public void skip(int count) {
    int left = count;
    while (left > 0) {
      ByteBuf part = take(left);
      left -= part.readableBytes();
      part.release();
    }
  }

  public void release() {
    chunks.forEach(ByteBuf::release);
    chunks.clear();
    bytes = 0;
    forgetLast();
  }

  private void forgetLast() {
    open = null;
    source = null;
  }
}
