package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Exhaustion;
import org.jspecify.annotations.Nullable;

/**
 * Allocates buffers for bytes that must be stored: outside of the heap, or on the heap while
 * Netty's limit for direct buffers is reached. The connection that fails to get a direct buffer is
 * often not the connection that exhausted these buffers, and a connection that loses part of a
 * frame must be closed, which ends all of its calls.
 *
 * <p>The sum of the heap buffers is small, because {@link SocketReads} reads nothing while no
 * direct buffer is available. {@link OutOfMemoryError}s of the JVM are rethrown.
 */
@AnyThread
public final class FallbackBuffers {
  private FallbackBuffers() {}

  /** Returns a buffer with room for {@code bytes}, which can grow to {@code maxBytes} bytes. */
  public static ByteBuf buffer(ByteBufAllocator alloc, int bytes, int maxBytes) {
    try {
      return alloc.directBuffer(bytes, maxBytes);
    } catch (OutOfMemoryError none) {
      throwIfOfJvm(none);
      return Unpooled.buffer(bytes, maxBytes);
    }
  }

  /**
   * Returns a buffer with the content of {@code buffer} and room for {@code bytes} more. The result
   * is {@code buffer} itself if its capacity can be increased. Otherwise the result is a copy, and
   * {@code buffer} has been released.
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
   * Returns a direct buffer with the content of {@code buffer}. The result is {@code buffer} itself
   * if it is direct. Otherwise the result is a copy, and {@code buffer} has been released. Returns
   * null, and leaves {@code buffer} unchanged, while no direct buffer is available.
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
