package io.outrigger.dataplane.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.AnyThread;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for bytes that are there and have to go somewhere: outside of the heap, or on it while
 * Netty's limit leaves none. Often it is not the one whose bytes they are who has taken all the
 * others, and half a frame less than all of it ends a connection with all of its calls.
 *
 * <p>Their sum is small: where there is no buffer nothing is read ({@code PatientRead}), so that no
 * more bytes come than are there. The JVM's own lack of memory is thrown.
 */
@AnyThread
public final class FallbackBuffers {
  private FallbackBuffers() {}

  /** A buffer with room for {@code bytes}, which can grow to {@code most}. */
  public static ByteBuf buffer(ByteBufAllocator alloc, int bytes, int most) {
    try {
      return alloc.directBuffer(bytes, most);
    } catch (OutOfMemoryError none) {
      throwIfOfJvm(none);
      return Unpooled.buffer(bytes, most);
    }
  }

  /**
   * A buffer that has what {@code buffer} has and room for {@code bytes} more: itself, which the
   * caller no longer owns if it is another.
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
   * A buffer outside of the heap that has what {@code buffer} has: itself, which the caller no
   * longer owns if it is another. Null while there is none; then nothing has changed.
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
    if (OutOfMemory.isOfJvm(none)) {
      throw none;
    }
  }
}
