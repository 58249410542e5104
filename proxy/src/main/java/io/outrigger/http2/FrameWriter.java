package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.FallbackBuffers;
import io.outrigger.dataplane.memory.OutOfMemory;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames into one connection's output. Small frames are copied into a buffer; DATA above
 * {@link #COPY_BYTES} follows its frame header as the slice that came. Nothing leaves before {@link
 * #flush}.
 *
 * <p>While there is no buffer outside of the heap frames gather in one on it, no more DATA is
 * welcome, and it is tried again each {@value ReadGate#WAIT_MILLIS} ms, {@value #MAX_WAITS} times.
 * Then, and when a frame could not be written at all, the writer {@link #hasFailed}: a connection
 * that lacks a frame, or a field that the peer's table has not, is lost.
 *
 * <p>RFC 9113 sections 4 and 6.
 */
@LoopConfined
final class FrameWriter {
  static final int COPY_BYTES = 2048;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /** As long as a read waits for one. */
  static final int MAX_WAITS = PatientRead.MAX_WAITS;

  private static final int LEAST_BUFFER = 256;
  private static final int MAX_BUFFER = 64 << 10;

  /** RFC 9113 section 6.8 sets no bound on debug data; ours fits any frame. */
  private static final int MAX_DEBUG_CHARS = 256;

  private final ChannelHandlerContext ctx;
  private final Runnable onDirty;
  private final HpackEncoder hpack = new HpackEncoder();
  private final HpackSpace.Room copies = HpackSpace.current().data;
  private @Nullable ByteBuf buffer;
  private int bufferSize = LEAST_BUFFER;
  private int maxFrameSize = ConnectionSettings.LEAST_FRAME_SIZE;
  private boolean written;
  private boolean released;

  /** The buffer is on the heap, and there was none outside of it when last asked for. */
  private boolean waits;

  /** Something is missing in what was written. */
  private boolean isBroken;

  /** It will be tried again. */
  private boolean isTimed;

  /** How often in a row it was. */
  private int tries;

  /** All that was given to the channel so far. */
  private long handed;

  /** {@code onDirty} is called when there is something to flush. */
  FrameWriter(ChannelHandlerContext ctx, Runnable onDirty) {
    this.ctx = ctx;
    this.onDirty = onDirty;
  }

  /** The peer's SETTINGS_MAX_FRAME_SIZE. */
  void maxFrameSize(int bytes) {
    maxFrameSize = bytes;
  }

  int maxFrameSize() {
    return maxFrameSize;
  }

  HpackEncoder hpack() {
    return hpack;
  }

  /** Whether more DATA is welcome: little waits here, and the socket keeps up. */
  boolean isWritable() {
    ByteBuf current = buffer;
    return !released
        && !waits
        && !isBroken
        && ctx.channel().isWritable()
        && (current == null || current.readableBytes() < MAX_BUFFER);
  }

  /** What the socket has not taken, and what has not been given to it. */
  long unsentBytes() {
    ByteBuf current = buffer;
    ChannelOutboundBuffer unsent = ctx.channel().unsafe().outboundBuffer();
    return (current == null ? 0 : current.capacity())
        + (unsent == null ? 0 : unsent.totalPendingWriteBytes());
  }

  /** All that was given to the channel so far: grows, and counts what it has not taken too. */
  long handedBytes() {
    return handed;
  }

  /** Whether the socket keeps up: header blocks obey no window, and must not pile up either. */
  boolean hasRoomForHeaders() {
    if (buffer != null && buffer.readableBytes() >= MAX_BUFFER) {
      handOver();
    }
    return !released && !waits && !isBroken && ctx.channel().isWritable();
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
    setting(out, FrameType.SETTINGS_INITIAL_WINDOW_SIZE, settings.streamWindow());
    setting(out, FrameType.SETTINGS_MAX_FRAME_SIZE, settings.maxFrameSize());
    setting(out, FrameType.SETTINGS_MAX_HEADER_LIST_SIZE, settings.maxHeaderListBytes());
  }

  private static void setting(ByteBuf out, int id, int value) {
    out.writeShort(id).writeInt(value);
  }

  /** Changes nothing; to be acknowledged like any other. */
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

  /** A header block, in as many frames as the peer's frame size makes of it (section 6.10). */
  void headers(int streamId, HeaderList headers, boolean endStream) {
    try {
      block(streamId, hpack.encode(headers), endStream);
    } catch (OutOfMemoryError e) {
      fail(e);
    }
  }

  /** The same for a block that goes only once. */
  void headers(int streamId, HeaderList.Builder fields, boolean endStream) {
    try {
      block(streamId, hpack.encode(fields), endStream);
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
      if (isBroken) {
        return;
      }
      out.writeBytes(block.bytes(), at, bytes);
      at += bytes;
      type = FrameType.CONTINUATION;
      flags = 0;
    } while (at < block.length());
  }

  /** One DATA frame of all of {@code data}, which this takes; the caller knows the frame size. */
  void data(int streamId, ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    int flags = endStream ? FrameType.FLAG_END_STREAM : 0;
    if (bytes <= COPY_BYTES) {
      // Not from buffer to buffer: Netty makes objects for that.
      byte[] copy = copies.of(bytes);
      data.getBytes(data.readerIndex(), copy, 0, bytes);
      data.release();
      ByteBuf out = frame(bytes, FrameType.DATA, flags, streamId);
      if (!isBroken) {
        out.writeBytes(copy, 0, bytes);
      }
      return;
    }
    ByteBuf out = begin(FrameType.HEADER_BYTES);
    if (!out.isDirect() || !data.isDirect()) { // Netty would copy it, and have no room for that
      out = frame(bytes, FrameType.DATA, flags, streamId);
      if (!isBroken) {
        out.writeBytes(data);
      }
      data.release();
      return;
    }
    head(out, bytes, FrameType.DATA, flags, streamId);
    handOver();
    handed += bytes;
    var unused = ctx.write(data, ctx.voidPromise());
  }

  /** Gives everything to the socket, or tries to later while there is no buffer for it. */
  void flush() {
    handOver();
    if (waits && !isTimed) {
      isTimed = true;
      var unused =
          ctx.channel()
              .eventLoop()
              .schedule(this::tryAgain, ReadGate.WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }
    if (written) {
      written = false;
      ctx.flush();
    }
  }

  private void tryAgain() {
    isTimed = false;
    if (!released && waits) {
      tries++;
      onDirty.run();
    }
  }

  /** Whether what was written cannot be sent, or has a gap; then the connection is to end. */
  boolean hasFailed() {
    return isBroken || (waits && tries > MAX_WAITS);
  }

  /**
   * Lacks something that there was no memory for, which ends this connection: not the one that was
   * read when it was met.
   */
  void fail(OutOfMemoryError cause) {
    OutOfMemory.onLoop(cause);
    isBroken = true;
    onDirty.run();
  }

  /** Drops what was not flushed; later frames go nowhere. */
  void release() {
    released = true;
    if (buffer != null) {
      buffer.release();
      buffer = null;
    }
  }

  private void handOver() {
    ByteBuf current = buffer;
    if (current == null || isBroken) {
      return;
    }
    ByteBuf ready = FallbackBuffers.outsideOfHeap(current, ctx.alloc());
    waits = ready == null;
    if (ready == null) {
      return;
    }
    tries = 0;
    buffer = null;
    written = true;
    handed += ready.readableBytes();
    // The next turn is likely to look like this one.
    bufferSize = Math.max(LEAST_BUFFER, Math.min(MAX_BUFFER, roundUp(ready.readableBytes())));
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

  /**
   * Section 4.1: length, type, flags and stream in nine bytes, of which the first eight at once.
   */
  private static void head(ByteBuf out, int length, int type, int flags, int streamId) {
    out.writeLong((long) length << 40 | (long) type << 32 | (long) flags << 24 | streamId >>> 8);
    out.writeByte(streamId);
  }

  private ByteBuf begin(int bytes) {
    if (released) {
      throw new IllegalStateException("frame on a connection that has ended");
    }
    if (!isBroken) {
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
