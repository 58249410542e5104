package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.FallbackBuffers;
import org.jspecify.annotations.Nullable;

/**
 * Joins the fragments of a header block that spans HEADERS and CONTINUATION frames. Bounded in
 * bytes and in frames: a block that never ends costs its sender the connection.
 */
@LoopConfined
final class HeaderBlock {
  /**
   * A block this many times as large as the list may be is still decoded, so that the table stays
   * in step and only its stream suffers; beyond it the connection ends.
   */
  private static final int TOLERANCE = 4;

  /** A small list limit costs no connection either: what is tolerated at the default limit. */
  private static final int LEAST_MAX_BYTES = 256 << 10;

  private final int maxBytes;
  private final int maxFrames;
  private @Nullable ByteBuf bytes;
  private int frames;
  private int streamId;
  private boolean endStream;

  HeaderBlock(int maxHeaderListBytes, int maxFrames) {
    long tolerated = Math.max(LEAST_MAX_BYTES, (long) TOLERANCE * maxHeaderListBytes);
    this.maxBytes = (int) Math.min(Integer.MAX_VALUE, tolerated);
    this.maxFrames = maxFrames;
  }

  boolean isOpen() {
    return bytes != null;
  }

  int streamId() {
    return streamId;
  }

  boolean endStream() {
    return endStream;
  }

  void open(int id, boolean end, ByteBuf fragment, ByteBufAllocator alloc) {
    streamId = id;
    endStream = end;
    frames = 0;
    int size = 2 * fragment.readableBytes() + 64;
    bytes = FallbackBuffers.buffer(alloc, size, Integer.MAX_VALUE).writeBytes(fragment);
  }

  void append(ByteBuf fragment) throws ConnectionFault {
    ByteBuf kept = bytes;
    if (kept == null) {
      throw new IllegalStateException("no header block is open");
    }
    frames++;
    if (frames > maxFrames || fragment.readableBytes() > maxBytes - kept.readableBytes()) {
      throw new ConnectionFault(
          Http2Error.ENHANCE_YOUR_CALM, "header block has too many frames or bytes");
    }
    kept = FallbackBuffers.withRoom(kept, fragment.readableBytes());
    bytes = kept;
    kept.writeBytes(fragment);
  }

  /** The whole block, which the caller releases. */
  ByteBuf close() {
    ByteBuf whole = bytes;
    if (whole == null) {
      throw new IllegalStateException("no header block is open");
    }
    bytes = null;
    return whole;
  }

  /** What the fragments so far take. */
  int heldBytes() {
    return bytes == null ? 0 : bytes.capacity();
  }

  void release() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
