package io.outrigger.proxy.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;

/**
 * Makes Netty's adaptive allocator give back the chunks that nobody uses.
 *
 * <p>It keeps chunks for reuse by buffers of the same size, and looks for those that have been idle
 * for long only every so many times that it takes one of that size. Without this, memory that
 * buffers of one size have left behind would be missing for those of others, for ever: in a
 * container of 256 MiB 43 of 61 MiB. To take and return buffers of each size, more at a time than a
 * chunk has room for, is all that is needed, and costs some milliseconds; their bytes are never
 * touched. On any other allocator it does nothing useful, and no harm.
 */
final class IdleChunks {
  /** Netty's setting: how many chunks of a size are taken between two looks for idle ones. */
  static final String LOOKS_PROPERTY = "io.netty.allocator.chunkPurgePollsShared";

  /** For {@link #LOOKS_PROPERTY}; 128 by default. */
  static final int CHUNKS_PER_LOOK = 16;

  /** The sizes of buffers that share chunks; smaller ones take little. */
  private static final int[] SIZES = {
    512, 640, 1024, 1152, 2048, 2304, 4096, 4352, 8192, 8704, 16384, 16896
  };

  private static final int CHUNK_BYTES = 128 << 10;
  private static final int LEAST_OF_A_CHUNK = 32;

  /** An idle chunk is given up at the fourth look, and each round takes one or two of them. */
  private static final int ROUNDS = 5 * CHUNKS_PER_LOOK;

  /** The size of a full read, of which chunks are shared where the heap has more than 512 MiB. */
  private static final int LARGE_BYTES = 64 << 10;

  /** Together a mebibyte: beyond the chunk that is in use. */
  private static final int LARGE_BUFFERS = 16;

  private static final int LARGE_ROUNDS = 256;

  private IdleChunks() {}

  static void release(ByteBufAllocator allocator) {
    if (allocator instanceof ByteBufAllocatorMetricProvider provider) {
      for (int size : SIZES) {
        release(allocator, provider.metric(), size);
      }
    }
    for (int round = 0;
        round < LARGE_ROUNDS && takeAndReturn(allocator, LARGE_BYTES, LARGE_BUFFERS); ) {
      round++;
    }
  }

  /** As long as there are idle ones: where a chunk is made for a round, it is the last. */
  private static void release(ByteBufAllocator allocator, ByteBufAllocatorMetric metric, int size) {
    long before = metric.usedDirectMemory();
    boolean goOn = takeAndReturn(allocator, size, 1);
    int beyondOne = Math.max(CHUNK_BYTES / size, LEAST_OF_A_CHUNK) + 1;
    for (int round = 0; goOn && round < ROUNDS && metric.usedDirectMemory() <= before; round++) {
      goOn = takeAndReturn(allocator, size, beyondOne);
    }
  }

  /** False when there were not as many. */
  private static boolean takeAndReturn(ByteBufAllocator allocator, int size, int buffers) {
    ByteBuf[] taken = new ByteBuf[buffers];
    int count = 0;
    try {
      while (count < buffers) {
        taken[count] = allocator.directBuffer(size);
        count++;
      }
      return true;
    } catch (OutOfMemoryError none) {
      return false; // the limit: nothing of this size is idle
    } finally {
      while (count > 0) {
        count--;
        taken[count].release();
      }
    }
  }
}
