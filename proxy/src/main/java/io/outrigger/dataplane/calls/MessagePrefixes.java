package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;

/**
 * Finds the message prefixes in a gRPC body and counts their bytes; DATA frames may split messages
 * and prefixes. A prefix has a flag byte and four bytes of length. The parser state is one number,
 * which saves an object per call. The parser state at the start of a body is 0.
 *
 * <pre>
 * bits  0 to 31  in a message: the number of missing bytes; in a prefix: the bytes that were read
 * bits 32 to 34  the number of bytes of the prefix that were read; 5 in a message
 * bits 35 to 62  the number of complete prefixes, modulo 2^28
 * </pre>
 */
final class MessagePrefixes {
  private static final int BYTES = 5;
  private static final int SEEN_SHIFT = 32;
  private static final int COUNT_SHIFT = 35;
  private static final long LOW = 0xFFFF_FFFFL;
  private static final long SEEN = 7;
  private static final long COUNT = (1L << 28) - 1;

  private MessagePrefixes() {}

  /**
   * Returns the parser state after the data; does not change the indices of the buffer.
   *
   * @param spans receives an event for each complete prefix
   * @param isRequest whether the body belongs to the request, not to the response
   */
  static long read(long state, ByteBuf data, CallSpans spans, boolean isRequest) {
    int at = data.readerIndex();
    int end = data.writerIndex();
    long low = state & LOW;
    long seen = state >>> SEEN_SHIFT & SEEN;
    long count = state >>> COUNT_SHIFT;
    while (at < end) {
      if (seen == BYTES) {
        int within = (int) Math.min(low, end - at);
        at += within;
        low -= within;
      } else {
        long next = data.getByte(at++) & 0xff;
        low = low << Byte.SIZE | next;
        if (++seen == BYTES) {
          boolean isCompressed = low >>> Integer.SIZE == 1;
          low &= LOW;
          spans.message(isRequest, count, low, isCompressed);
          count = count + 1 & COUNT;
        }
      }
      if (seen == BYTES && low == 0) {
        seen = 0;
      }
    }
    return count << COUNT_SHIFT | seen << SEEN_SHIFT | low;
  }

  /** The number of bytes of all message prefixes read so far. */
  static long bytes(long state) {
    long seen = state >>> SEEN_SHIFT & SEEN;
    return (state >>> COUNT_SHIFT) * BYTES + (seen == BYTES ? 0 : seen);
  }
}
