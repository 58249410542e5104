package io.outrigger.observe.telemetry;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;

/**
 * Finds the messages in the body of a gRPC request or response, however they are split into DATA
 * frames. Each message has a prefix: a compression flag and four bytes of length.
 */
@LoopConfined
final class MessageScanner {
  private static final int PREFIX_BYTES = 5;

  /** Called for each message whose last byte has been read. */
  @FunctionalInterface
  interface Sink {
    /**
     * @param sequence the number of the message on its attempt, from 0
     * @param bytes the length without the prefix
     */
    void onMessage(long sequence, long bytes, boolean compressed);
  }

  private final Sink sink;
  private long sequence;
  private int prefix;
  private boolean compressed;
  private long length;
  private long missing;

  MessageScanner(Sink sink) {
    this.sink = sink;
  }

  /** Reads the next bytes of the body; {@code data} is not changed. */
  void read(ByteBuf data) {
    int at = data.readerIndex();
    int end = data.writerIndex();
    while (at < end) {
      if (prefix < PREFIX_BYTES) {
        readPrefix(data.getByte(at++));
      } else {
        int skipped = (int) Math.min(missing, end - at);
        at += skipped;
        missing -= skipped;
      }
      if (prefix == PREFIX_BYTES && missing == 0) {
        sink.onMessage(sequence++, length, compressed);
        prefix = 0;
      }
    }
  }

  private void readPrefix(byte next) {
    if (prefix == 0) {
      compressed = next == 1;
      length = 0;
    } else {
      length = length << Byte.SIZE | (next & 0xff);
    }
    prefix++;
    missing = length;
  }
}
