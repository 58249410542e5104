package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.LoopConfined;

/**
 * The caches and work buffers of one event loop. The HPACK coders and frame writers of all
 * connections share the caches and buffers: only one coder or writer runs at a time. Sharing saves
 * memory when there are thousands of idle connections.
 */
@LoopConfined
final class HpackSpace {
  private static final FastThreadLocal<HpackSpace> CURRENT =
      new FastThreadLocal<>() {
        @Override
        protected HpackSpace initialValue() {
          return new HpackSpace();
        }
      };

  final HeaderBlockCache blocks = new HeaderBlockCache();
  final FieldCache texts = new FieldCache();

  /** Work buffer for the bytes of the block that is being decoded. */
  final WorkBuffer block = new WorkBuffer();

  /** Work buffer for a string decoded from Huffman code. */
  final WorkBuffer text = new WorkBuffer();

  final HeaderList.Builder fields = HeaderList.builder(32);

  /** Work buffer for DATA that is copied from one buffer to another. */
  final WorkBuffer data = new WorkBuffer();

  final HpackOutput output = new HpackOutput();

  /** Takes frames that cannot be sent for lack of memory; this buffer is never read. */
  final ByteBuf sink = Unpooled.wrappedBuffer(new byte[1024]);

  private HpackSpace() {}

  static HpackSpace current() {
    return CURRENT.get();
  }

  /** A work buffer; an unusually large array is dropped after its use. */
  @LoopConfined
  static final class WorkBuffer {
    private static final int MAX_KEPT = 16 << 10;

    private byte[] bytes = new byte[1024];

    /** Returns an array of at least the given size with undefined content. */
    byte[] of(int size) {
      if (size <= bytes.length) {
        return bytes;
      }
      if (size > MAX_KEPT) {
        return new byte[size];
      }
      bytes = new byte[Integer.highestOneBit(size - 1) << 1];
      return bytes;
    }
  }
}
