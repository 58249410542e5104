package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.outrigger.base.LoopConfined;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames of one connection. Small frames are copied into a buffer. For DATA above {@link
 * #COPY_BYTES}, only the frame header is copied; the DATA itself is passed to the channel. Nothing
 * is sent before {@link #flush}.
 *
 * <p>While no direct buffer is available, frames are collected in a heap buffer, and no more DATA
 * is accepted. Each {@link #flush} tries again to get a direct buffer. If a frame cannot be written
 * even to the heap, the connection must be closed ({@link #failure}). A missing header block would
 * leave the peer without the HPACK table entries that the block adds.
 *
 * <p>Implements RFC 9113 sections 4 and 6.
 */
@LoopConfined
final class FrameWriter {
  static final int COPY_BYTES = 2048;

  /** The first bytes that a client sends (section 3.4). */
  static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final int MIN_BUFFER = 256;
  private static final int MAX_BUFFER = 64 << 10;

  /** The maximum size of GOAWAY debug data, which must fit into any peer's frame (section 6.8). */
  private static final int MAX_DEBUG_CHARS = 256;

  private final ChannelHandlerContext ctx;
  private final Runnable onDirty;
  private final HpackEncoder hpack = new HpackEncoder();
  private final HpackSpace.WorkBuffer copyBuffer = HpackSpace.current().data;
  private @Nullable ByteBuf buffer;
  private int bufferSize = MIN_BUFFER;
  private int maxFrameSize = ConnectionSettings.FRAME_SIZE;
  private boolean written;
  private boolean released;

  /** Whether {@link #buffer} is on the heap for lack of a direct buffer. */
  private boolean awaitsDirectBuffer;

  private @Nullable OutOfMemoryError failure;

  private long handedBytes;

  FrameWriter(ChannelHandlerContext ctx, Runnable onDirty) {
    this.ctx = ctx;
    this.onDirty = onDirty;
  }

  void maxFrameSize(int bytes) {
    maxFrameSize = bytes;
  }

  int maxFrameSize() {
    return maxFrameSize;
  }

  HpackEncoder hpack() {
    return hpack;
  }

  /** Whether more DATA is accepted: the buffer has room and the channel is writable. */
  boolean isWritable() {
    ByteBuf current = buffer;
    return acceptsMore() && (current == null || current.readableBytes() < MAX_BUFFER);
  }

  private boolean acceptsMore() {
    return !released && !awaitsDirectBuffer && failure == null && ctx.channel().isWritable();
  }

  /** The number of bytes that the socket has not accepted yet, including this writer's buffer. */
  long unsentBytes() {
    ByteBuf current = buffer;
    ChannelOutboundBuffer unsent = ctx.channel().unsafe().outboundBuffer();
    return (current == null ? 0 : current.capacity())
        + (unsent == null ? 0 : unsent.totalPendingWriteBytes());
  }

  /** The number of bytes passed to the channel so far, including bytes that still wait there. */
  long handedBytes() {
    return handedBytes;
  }

  /** Whether a header block may be written; a full buffer is passed to the channel first. */
  boolean hasRoomForHeaders() {
    if (buffer != null && buffer.readableBytes() >= MAX_BUFFER) {
      handOver();
    }
    return acceptsMore();
  }

  void clientPreface() {
    begin(PREFACE.length).writeBytes(PREFACE);
  }

  void settings(ConnectionSettings settings, boolean client) {
    ByteBuf out = frame(24, FrameType.SETTINGS, 0, 0);
    if (client) {
      setting(out, FrameType.SETTINGS_ENABLE_PUSH, 0);
    } else {
      setting(out, FrameType.SETTINGS_MAX_CONCURRENT_STREAMS, settings.maxConcurrentStreams());
    }
    setting(out, FrameType.SETTINGS_INITIAL_WINDOW_SIZE, settings.windows().stream());
    setting(out, FrameType.SETTINGS_MAX_FRAME_SIZE, ConnectionSettings.FRAME_SIZE);
    setting(out, FrameType.SETTINGS_MAX_HEADER_LIST_SIZE, settings.maxHeaderListBytes());
  }

  private static void setting(ByteBuf out, int id, int value) {
    out.writeShort(id).writeInt(value);
  }

  /** Writes a SETTINGS frame without values, which the peer has to acknowledge. */
  void emptySettings() {
    var unused = frame(0, FrameType.SETTINGS, 0, 0);
  }

  void settingsAck() {
    var unused = frame(0, FrameType.SETTINGS, FrameType.FLAG_ACK, 0);
  }

  void ping(long opaque, boolean ack) {
    frame(8, FrameType.PING, ack ? FrameType.FLAG_ACK : 0, 0).writeLong(opaque);
  }

  void goAway(int lastStreamId, Http2Error error, String debug) {
    String text = debug.substring(0, Math.min(debug.length(), MAX_DEBUG_CHARS));
    int bytes = ByteBufUtil.utf8Bytes(text);
    ByteBuf out = frame(8 + bytes, FrameType.GOAWAY, 0, 0);
    out.writeInt(lastStreamId).writeInt(error.code());
    ByteBufUtil.writeUtf8(out, text);
  }

  void reset(int streamId, Http2Error error) {
    frame(4, FrameType.RST_STREAM, 0, streamId).writeInt(error.code());
  }

  void windowUpdate(int streamId, int increment) {
    frame(4, FrameType.WINDOW_UPDATE, 0, streamId).writeInt(increment);
  }

  /** Writes a header block, split into frames of the peer's maximum frame size (section 6.10). */
  void headers(int streamId, HeaderList headers, boolean endStream) {
    try {
      block(streamId, hpack.encode(headers), endStream);
    } catch (OutOfMemoryError e) {
      fail(e);
    }
  }

  private void block(int streamId, HpackOutput block, boolean endStream) {
    int type = FrameType.HEADERS;
    int flags = endStream ? FrameType.FLAG_END_STREAM : 0;
    int at = 0;
    do {
      int bytes = Math.min(block.length() - at, maxFrameSize);
      int last = at + bytes == block.length() ? FrameType.FLAG_END_HEADERS : 0;
      ByteBuf out = frame(bytes, type, flags | last, streamId);
      if (failure != null) {
        return;
      }
      out.writeBytes(block.bytes(), at, bytes);
      at += bytes;
      type = FrameType.CONTINUATION;
      flags = 0;
    } while (at < block.length());
  }

  /** Writes {@code data}, which must fit into one frame, and takes ownership of it. */
  void data(int streamId, ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    int flags = endStream ? FrameType.FLAG_END_STREAM : 0;
    if (bytes <= COPY_BYTES) {
      // Small DATA is copied through an array, as Netty's copy between buffers allocates objects.
      byte[] copy = copyBuffer.of(bytes);
      data.getBytes(data.readerIndex(), copy, 0, bytes);
      data.release();
      ByteBuf out = frame(bytes, FrameType.DATA, flags, streamId);
      if (failure == null) {
        out.writeBytes(copy, 0, bytes);
      }
      return;
    }
    ByteBuf out = begin(FrameType.HEADER_BYTES);
    if (!out.isDirect() || !data.isDirect()) {
      // DATA on the heap is copied immediately, because a later copy by Netty might find no memory.
      out = frame(bytes, FrameType.DATA, flags, streamId);
      if (failure == null) {
        out.writeBytes(data);
      }
      data.release();
      return;
    }
    head(out, bytes, FrameType.DATA, flags, streamId);
    handOver();
    handedBytes += bytes;
    var unused = ctx.write(data, ctx.voidPromise());
  }

  /** Passes all frames to the socket, or keeps them if no direct buffer is available. */
  void flush() {
    handOver();
    if (written) {
      written = false;
      ctx.flush();
    }
  }

  boolean awaitsDirectBuffer() {
    return awaitsDirectBuffer;
  }

  /** The error that prevented the writing of a frame; null if every frame was written. */
  @Nullable OutOfMemoryError failure() {
    return failure;
  }

  /**
   * Records that a frame cannot be written for lack of memory. The error is not thrown, because it
   * would end the connection that the caller is processing, which may be a different connection.
   */
  void fail(OutOfMemoryError cause) {
    failure = cause;
    onDirty.run();
  }

  /** Drops frames that were not flushed, and rejects all further frames. */
  void release() {
    released = true;
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
  }

  private void handOver() {
    ByteBuf current = buffer;
    if (current == null || failure != null) {
      return;
    }
    ByteBuf ready = FallbackBuffers.outsideOfHeap(current, ctx.alloc());
    awaitsDirectBuffer = ready == null;
    if (ready == null) {
      return;
    }
    buffer = null;
    written = true;
    handedBytes += ready.readableBytes();
    // Sizes the next buffer by this content, because the next turn probably writes as many bytes.
    bufferSize = Math.max(MIN_BUFFER, Math.min(MAX_BUFFER, roundUp(ready.readableBytes())));
    var unused = ctx.write(ready, ctx.voidPromise());
  }

  private static int roundUp(int bytes) {
    return Integer.highestOneBit(Math.max(1, bytes)) << 1;
  }

  private ByteBuf frame(int length, int type, int flags, int streamId) {
    ByteBuf out = begin(FrameType.HEADER_BYTES + length);
    head(out, length, type, flags, streamId);
    return out;
  }

  /** RFC 9113 section 4.1: writes the nine bytes of a frame header, the first eight as one long. */
  private static void head(ByteBuf out, int length, int type, int flags, int streamId) {
    out.writeLong((long) length << 40 | (long) type << 32 | (long) flags << 24 | streamId >>> 8);
    out.writeByte(streamId);
  }

  private ByteBuf begin(int bytes) {
    if (released) {
      throw new IllegalStateException("frame on a connection that has ended");
    }
    if (failure == null) {
      try {
        return room(bytes);
      } catch (OutOfMemoryError e) {
        fail(e);
      }
    }
    return HpackSpace.current().sink.clear();
  }

  private ByteBuf room(int bytes) {
    ByteBuf current = buffer;
    if (current == null) {
      int size = Math.max(bufferSize, bytes);
      current = FallbackBuffers.buffer(ctx.alloc(), size, Integer.MAX_VALUE);
      buffer = current;
      onDirty.run();
    } else if (current.writableBytes() < bytes) {
      current = FallbackBuffers.withRoom(current, bytes);
      buffer = current;
    }
    return current;
  }
}
