package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.Exhaustion;
import org.jspecify.annotations.Nullable;

/**
 * Allocates buffers for bytes that must not be lost. The buffers are direct buffers, or heap
 * buffers while Netty's limit for direct memory is reached. Without heap buffers, a connection
 * would lose part of a frame and end with all its calls when other connections have exhausted the
 * direct buffers.
 *
 * <p>Few heap buffers are used: {@link SocketReads} reads nothing more while no direct buffer is
 * available. {@link OutOfMemoryError}s of the JVM are rethrown.
 */
public final class FallbackBuffers {
  private FallbackBuffers() {}

  /** Returns a buffer with the given capacity, which can grow to {@code maxBytes}. */
  public static ByteBuf buffer(ByteBufAllocator alloc, int bytes, int maxBytes) {
    try {
      return alloc.directBuffer(bytes, maxBytes);
    } catch (OutOfMemoryError none) {
      throwIfOfJvm(none);
      return Unpooled.buffer(bytes, maxBytes);
    }
  }

  /**
   * Returns a buffer with the content of the given buffer and room for a number of further bytes.
   * The result is the given buffer if its capacity can be increased. If the result is a copy, the
   * given buffer has been released.
   */
  public static ByteBuf withRoom(ByteBuf buffer, int bytes) {
    try {
      return buffer.ensureWritable(bytes);
    } catch (OutOfMemoryError none) {
      throwIfOfJvm(none);
      ByteBuf larger = Unpooled.buffer(buffer.readableBytes() + bytes, buffer.maxCapacity());
      larger.writeBytes(buffer);
      buffer.release();
      return larger;
    }
  }

  /**
   * Returns a direct buffer with the content of the given buffer. The result is the given buffer if
   * that buffer is direct. If the result is a copy, the given buffer has been released. Returns
   * null, and leaves the given buffer unchanged, while no direct buffer is available.
   */
  public static @Nullable ByteBuf outsideOfHeap(ByteBuf buffer, ByteBufAllocator alloc) {
    if (buffer.isDirect()) {
      return buffer;
    }
    ByteBuf copy;
    try {
      copy = alloc.directBuffer(buffer.readableBytes());
    } catch (OutOfMemoryError none) {
      throwIfOfJvm(none);
      return null;
    }
    copy.writeBytes(buffer);
    buffer.release();
    return copy;
  }

  private static void throwIfOfJvm(OutOfMemoryError none) {
    if (Exhaustion.isOfJvm(none)) {
      throw none;
    }
  }
}
