package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocal;
import io.outrigger.base.LoopConfined;

/**
 * What the HPACK coders, and the writers, of one event loop share, since only one of them works at
 * a time: room to work in, and the fields seen lately. Ten thousand idle connections cost one of
 * it.
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

  /** Names and fields seen lately. */
  final FieldCache cache = new FieldCache();

  /** Blocks seen lately. */
  final HeaderBlockCache blocks = new HeaderBlockCache();

  /** For the bytes of a block to decode. */
  final Room block = new Room();

  /** For a string that does not stand in its block as it is. */
  final Room text = new Room();

  /** For the fields of a block. */
  final HeaderList.Builder fields = HeaderList.builder(32);

  /** For DATA on its way from one buffer to another. */
  final Room data = new Room();

  /** For a block under construction. */
  final HpackOutput output = new HpackOutput();

  /** Takes the frames of connections that end for want of memory. */
  final ByteBuf sink = Unpooled.wrappedBuffer(new byte[1024]);

  private HpackSpace() {}

  /** The one of the calling thread. */
  static HpackSpace current() {
    return CURRENT.get();
  }

  /** Bytes to work in. What only an unusual block needs is not kept. */
  @LoopConfined
  static final class Room {
    private static final int MAX_KEPT = 16 << 10;

    private byte[] bytes = new byte[1024];

    /** At least {@code size} bytes with anything in them. */
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
