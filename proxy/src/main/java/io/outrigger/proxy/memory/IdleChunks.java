package io.outrigger.proxy.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Makes Netty's adaptive allocator give back the chunks that nobody uses.
 *
 * <p>It keeps chunks for reuse, and looks for those that have been idle for long only every so many
 * times that it takes one. While all requests are refused nobody takes one: without this, memory
 * that an overload left behind would keep requests out for ever. To take and return buffers, more
 * at a time than a chunk has room for, is all that is needed, and costs about a millisecond; their
 * bytes are never touched. On any other allocator it does nothing useful, and no harm.
 */
final class IdleChunks {
  /** The size of a full read. */
  private static final int BUFFER_BYTES = 64 << 10;

  /** Together a mebibyte: beyond the chunk that is in use. */
  private static final int BUFFERS = 16;

  /** An idle chunk is given up after about 400 looks; each round takes more than one chunk. */
  private static final int ROUNDS = 256;

  private IdleChunks() {}

  static void release(ByteBufAllocator allocator) {
    ByteBuf[] taken = new ByteBuf[BUFFERS];
    for (int round = 0; round < ROUNDS; round++) {
      int count = 0;
      try {
        while (count < BUFFERS) {
          taken[count] = allocator.directBuffer(BUFFER_BYTES);
          count++;
        }
      } catch (OutOfMemoryError none) {
        return; // the limit of the JVM itself: nothing is idle
      } finally {
        while (count > 0) {
          count--;
          taken[count].release();
        }
      }
    }
  }
}
