package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * Joins the fragments of a header block that spans HEADERS and CONTINUATION frames. A block with
 * too many bytes or frames ends the connection.
 */
@LoopConfined
final class HeaderBlock {
  /**
   * A block larger than the maximum header list size, but at most {@value #TOLERANCE} times as
   * large, ends only its stream. A block that is too large is decoded, so that the dynamic table
   * stays in sync.
   */
  private static final int TOLERANCE = 4;

  /**
   * A block of up to 256 KiB never ends the connection because of its size, however small the
   * maximum header list size is.
   */
  private static final int MIN_MAX_BYTES = 256 << 10;

  private final int maxBytes;
  private final int maxFrames;
  private @Nullable ByteBuf bytes;
  private int frames;
  private int streamId;
  private boolean endStream;

  HeaderBlock(int maxHeaderListBytes, int maxFrames) {
    long tolerated = Math.max(MIN_MAX_BYTES, (long) TOLERANCE * maxHeaderListBytes);
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
    ByteBuf kept = requireNonNull(bytes);
    frames++;
    if (frames > maxFrames || fragment.readableBytes() > maxBytes - kept.readableBytes()) {
      throw new ConnectionFault(
          Http2Error.ENHANCE_YOUR_CALM, "header block has too many frames or bytes");
    }
    bytes = FallbackBuffers.withRoom(kept, fragment.readableBytes()).writeBytes(fragment);
  }

  /** Returns the whole block, which the caller releases. */
  ByteBuf close() {
    ByteBuf whole = requireNonNull(bytes);
    bytes = null;
    return whole;
  }

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
