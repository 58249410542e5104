package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.http2.ConnectionSettings.AbuseLimits;
import org.jspecify.annotations.Nullable;

/**
 * Splits the received bytes, which arrive in chunks of any size, into frames. The payload of DATA
 * is passed on in parts as it arrives. A payload other than DATA is passed on as a whole.
 *
 * <p>Implements RFC 9113 sections 4 and 6.
 */
@LoopConfined
final class FrameReader {
  private static final int MIN_PARTIAL_BYTES = 256;

  private final FrameListener listener;
  private final HeaderBlock block;

  /** The first bytes of a frame header that has arrived only in part; at most eight bytes. */
  private long head;

  private int headFill;

  private int type;
  private int flags;
  private int streamId;

  /** Payload bytes of the current frame that have not been read yet. */
  private int remaining;

  private enum Position {
    HEADER,
    PAYLOAD,
    PAD_LENGTH,
    DATA,
    SKIP
  }

  private Position position = Position.HEADER;
  private int padding;
  private @Nullable ByteBuf partial;
  private boolean settingsSeen;
  private boolean stopped;

  private long wholeFrames;

  FrameReader(FrameListener listener, ConnectionSettings settings) {
    this.listener = listener;
    AbuseLimits abuse = settings.abuse();
    this.block = new HeaderBlock(settings.maxHeaderListBytes(), abuse.continuationFrames());
  }

  /**
   * Reads all bytes of the buffer, or fewer if {@link #release} is called meanwhile. The caller
   * releases the buffer.
   */
  void read(ByteBuf in, ByteBufAllocator alloc) throws ConnectionFault {
    while (!stopped) {
      switch (position) {
        case HEADER -> {
          if (!readHeader(in)) {
            return;
          }
        }
        case PAD_LENGTH -> {
          if (!in.isReadable()) {
            return;
          }
          padding = in.readUnsignedByte();
          remaining--;
          if (padding > remaining) {
            throw protocolError("padding exceeds the frame");
          }
          startData(padding + 1);
        }
        case DATA -> {
          if (!in.isReadable()) {
            return;
          }
          int bytes = Math.min(in.readableBytes(), remaining - padding);
          remaining -= bytes;
          boolean last = remaining == padding;
          if (last) {
            skipPadding();
          }
          onDataPart(in, bytes, last);
        }
        case SKIP -> {
          int bytes = Math.min(in.readableBytes(), remaining);
          in.skipBytes(bytes);
          remaining -= bytes;
          if (remaining > 0) {
            return;
          }
          position = Position.HEADER;
        }
        case PAYLOAD -> {
          if (!readPayload(in, alloc)) {
            return;
          }
          wholeFrames += block.isOpen() ? 0 : 1;
        }
      }
    }
  }

  /**
   * Passes the next {@code bytes} of the read buffer to the listener. For a small part, the
   * listener gets the read buffer with changed indices, which saves the allocation of a slice.
   */
  private void onDataPart(ByteBuf in, int bytes, boolean last) throws ConnectionFault {
    if (bytes > FrameWriter.COPY_BYTES) {
      listener.onDataPart(in.readRetainedSlice(bytes), last);
      return;
    }
    int after = in.writerIndex();
    int end = in.readerIndex() + bytes;
    in.writerIndex(end);
    try {
      listener.onDataPart(in.retain(), last);
    } finally {
      in.setIndex(end, after);
    }
  }

  void release() {
    stopped = true;
    block.release();
    if (partial != null) {
      partial.release();
      partial = null;
    }
  }

  /** Whether a frame header, a header block or a frame other than DATA has arrived only in part. */
  boolean isBegun() {
    return headFill > 0 || partial != null || block.isOpen();
  }

  /** The number of header blocks and other frames, except DATA, that have arrived completely. */
  long wholeFrames() {
    return wholeFrames;
  }

  /** The capacity of the buffers that hold incomplete frames and header blocks. */
  int heldBytes() {
    return (partial == null ? 0 : partial.capacity()) + block.heldBytes();
  }

  private boolean readHeader(ByteBuf in) throws ConnectionFault {
    if (headFill == 0 && in.readableBytes() >= FrameType.HEADER_BYTES) {
      startFrame(in.readLong(), in.readByte());
    } else {
      for (; headFill < Long.BYTES && in.isReadable(); headFill++) {
        head = head << Byte.SIZE | in.readUnsignedByte();
      }
      if (!in.isReadable()) {
        return false;
      }
      headFill = 0;
      startFrame(head, in.readByte());
    }
    checkHeader();
    if (type == FrameType.DATA) {
      padding = 0;
      if (has(FrameType.FLAG_PADDED)) {
        position = Position.PAD_LENGTH;
      } else {
        startData(0);
      }
    } else if (type > FrameType.CONTINUATION) {
      position = Position.SKIP;
      listener.onIgnored();
    } else {
      position = Position.PAYLOAD;
    }
    return true;
  }

  /** Decodes the nine bytes of a frame header: length, type, flags, reserved bit and stream id. */
  private void startFrame(long first, byte last) {
    remaining = (int) (first >>> 40);
    type = (int) (first >>> 32) & 0xff;
    flags = (int) (first >>> 24) & 0xff;
    streamId = ((int) first << 8 | (last & 0xff)) & Integer.MAX_VALUE;
  }

  private void checkHeader() throws ConnectionFault {
    if (!settingsSeen) {
      // RFC 9113 section 3.4: the preface of both sides ends with SETTINGS.
      if (type != FrameType.SETTINGS || has(FrameType.FLAG_ACK)) {
        throw protocolError("the first frame is not SETTINGS");
      }
      settingsSeen = true;
    }
    if (remaining > ConnectionSettings.FRAME_SIZE) {
      throw new ConnectionFault(
          Http2Error.FRAME_SIZE_ERROR, "frame of " + remaining + " bytes exceeds the limit");
    }
    if (block.isOpen() && (type != FrameType.CONTINUATION || streamId != block.streamId())) {
      throw protocolError("header block is interrupted");
    }
    switch (type) {
      case FrameType.DATA, FrameType.HEADERS, FrameType.PRIORITY, FrameType.RST_STREAM -> {
        if (streamId == 0) {
          throw protocolError("frame of type " + type + " without a stream");
        }
        int minBytes = type == FrameType.DATA && has(FrameType.FLAG_PADDED) ? 1 : 0;
        requireSize(remaining >= minBytes && (type != FrameType.RST_STREAM || remaining == 4));
      }
      case FrameType.SETTINGS ->
          requireConnection(remaining % 6 == 0 && (remaining == 0 || !has(FrameType.FLAG_ACK)));
      case FrameType.PING -> requireConnection(remaining == 8);
      case FrameType.GOAWAY -> requireConnection(remaining >= 8);
      case FrameType.WINDOW_UPDATE -> requireSize(remaining == 4);
      case FrameType.CONTINUATION -> {
        if (!block.isOpen()) {
          throw protocolError("CONTINUATION without HEADERS");
        }
      }
      case FrameType.PUSH_PROMISE ->
          // RFC 9113 section 8.4: a client must not send PUSH_PROMISE; our client disables push.
          throw protocolError("PUSH_PROMISE is not allowed");
      default -> {}
    }
  }

  private boolean has(int flag) {
    return (flags & flag) != 0;
  }

  private void requireSize(boolean isRight) throws ConnectionFault {
    if (!isRight) {
      throw new ConnectionFault(
          Http2Error.FRAME_SIZE_ERROR, "frame of type " + type + " has a wrong size");
    }
  }

  /** Throws unless the frame has the right size and stream id 0. */
  private void requireConnection(boolean isRightSize) throws ConnectionFault {
    requireSize(isRightSize);
    if (streamId != 0) {
      throw protocolError("frame of type " + type + " on a stream");
    }
  }

  private void startData(int unseen) throws ConnectionFault {
    int flowBytes = unseen == 0 ? remaining : remaining + 1;
    boolean empty = remaining == padding;
    position = Position.DATA;
    if (empty) {
      skipPadding();
    }
    listener.onDataStart(streamId, flowBytes, unseen, has(FrameType.FLAG_END_STREAM));
    if (empty && !stopped) {
      listener.onDataPart(Unpooled.EMPTY_BUFFER, true);
    }
  }

  private void skipPadding() {
    position = padding == 0 ? Position.HEADER : Position.SKIP;
    remaining = padding;
  }

  private boolean readPayload(ByteBuf in, ByteBufAllocator alloc) throws ConnectionFault {
    ByteBuf kept = partial;
    if (kept == null && in.readableBytes() >= remaining) {
      position = Position.HEADER;
      readWhole(in, alloc);
      return true;
    }
    if (kept == null) { // sized by the bytes that have arrived, not by the announced length
      int size = Math.min(remaining, Math.max(MIN_PARTIAL_BYTES, in.readableBytes()));
      kept = FallbackBuffers.buffer(alloc, size, remaining);
      partial = kept;
    }
    int more = Math.min(in.readableBytes(), remaining - kept.readableBytes());
    kept = FallbackBuffers.withRoom(kept, more);
    partial = kept;
    kept.writeBytes(in, more);
    if (kept.readableBytes() < remaining) {
      return false;
    }
    partial = null;
    position = Position.HEADER;
    try {
      onPayload(kept, alloc);
    } finally {
      kept.release();
    }
    return true;
  }

  /** Passes on a payload that is complete in the read buffer, without the allocation of a slice. */
  private void readWhole(ByteBuf in, ByteBufAllocator alloc) throws ConnectionFault {
    int after = in.writerIndex();
    int end = in.readerIndex() + remaining;
    in.writerIndex(end);
    try {
      onPayload(in, alloc);
    } finally {
      in.setIndex(end, after);
    }
  }

  private void onPayload(ByteBuf payload, ByteBufAllocator alloc) throws ConnectionFault {
    switch (type) {
      case FrameType.HEADERS -> onHeaders(payload, alloc);
      case FrameType.CONTINUATION -> {
        block.append(payload);
        if (has(FrameType.FLAG_END_HEADERS)) {
          finishBlock();
        }
      }
      case FrameType.PRIORITY -> {
        if (payload.readableBytes() >= 4) {
          checkDependency(payload.getInt(payload.readerIndex()));
        }
        listener.onIgnored();
        if (payload.readableBytes() != 5 && !stopped) {
          listener.onStreamFault(streamId, Http2Error.FRAME_SIZE_ERROR, "PRIORITY of wrong size");
        }
      }
      case FrameType.RST_STREAM -> listener.onReset(streamId, payload.readUnsignedInt());
      case FrameType.SETTINGS -> {
        if (has(FrameType.FLAG_ACK)) {
          listener.onSettingsAck();
        } else {
          listener.onSettings(payload);
        }
      }
      case FrameType.PING -> listener.onPing(payload.readLong(), has(FrameType.FLAG_ACK));
      case FrameType.GOAWAY ->
          listener.onGoAway(
              payload.readInt() & Integer.MAX_VALUE, payload.readUnsignedInt(), payload);
      case FrameType.WINDOW_UPDATE ->
          listener.onWindowUpdate(streamId, payload.readInt() & Integer.MAX_VALUE);
      default -> throw new AssertionError(type);
    }
  }

  private void onHeaders(ByteBuf payload, ByteBufAllocator alloc) throws ConnectionFault {
    int pad = 0;
    if (has(FrameType.FLAG_PADDED)) {
      requireSize(payload.isReadable());
      pad = payload.readUnsignedByte();
    }
    if (has(FrameType.FLAG_PRIORITY)) {
      requireSize(payload.readableBytes() >= 5);
      checkDependency(payload.readInt());
      payload.skipBytes(1);
    }
    if (pad > payload.readableBytes()) {
      throw protocolError("padding exceeds the frame");
    }
    payload.writerIndex(payload.writerIndex() - pad);
    boolean endStream = has(FrameType.FLAG_END_STREAM);
    if (has(FrameType.FLAG_END_HEADERS)) {
      listener.onHeaderBlock(streamId, payload, endStream);
    } else {
      block.open(streamId, endStream, payload, alloc);
    }
  }

  /**
   * RFC 7540 section 5.3.1: a stream cannot depend on itself. Priorities are ignored (RFC 9113
   * section 5.3.2), but a self-dependency is an error of the peer. A self-dependency closes the
   * connection (section 5.4.1), because RST_STREAM is forbidden on an idle stream.
   */
  private void checkDependency(int exclusiveAndId) throws ConnectionFault {
    if ((exclusiveAndId & Integer.MAX_VALUE) == streamId) {
      throw protocolError("stream depends on itself");
    }
  }

  private void finishBlock() throws ConnectionFault {
    ByteBuf whole = block.close();
    try {
      listener.onHeaderBlock(streamId, whole, block.endStream());
    } finally {
      whole.release();
    }
  }

  private static ConnectionFault protocolError(String reason) {
    return new ConnectionFault(Http2Error.PROTOCOL_ERROR, reason);
  }
}
