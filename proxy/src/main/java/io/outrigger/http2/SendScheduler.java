package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.memory.MemoryGauge;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Sends DATA within the windows of the peer and no faster than the socket takes it. A stream that
 * can send at once does. The others stand in a line, and each in its turn sends one frame: no
 * stream waits for another one's window, and a large message does not hold up a small one. Header
 * blocks obey no window, but they too wait for the socket, in a line of their own that goes first.
 *
 * <p>RFC 9113 section 5.2.
 */
@LoopConfined
final class SendScheduler {
  /** The most that one frame carries, whatever the peer would take: a turn in the line is short. */
  private static final int MAX_TURN_BYTES = 32 << 10;

  /** The line of all connections in which no stream has waited; nothing is ever put into it. */
  private static final Deque<SocketStream> NOBODY = new ArrayDeque<>(1);

  private final FrameWriter writer;
  private final ByteBufAllocator alloc;
  private final AbuseGuard guard;
  private final MemoryGauge memory;
  private final FlushQueue.Mark dirty;
  private final SendWindow window = new SendWindow(ConnectionSettings.INITIAL_WINDOW);

  /** Streams with pending DATA and an open window of their own, each once. */
  private Deque<SocketStream> line = NOBODY;

  /** Streams with a head to send, or with nothing but trailers, each once. */
  private Deque<SocketStream> heads = NOBODY;

  /**
   * @param dirty set when something can be sent at the end of the turn
   */
  SendScheduler(
      FrameWriter writer,
      ByteBufAllocator alloc,
      AbuseGuard guard,
      MemoryGauge memory,
      FlushQueue.Mark dirty) {
    this.writer = writer;
    this.alloc = alloc;
    this.guard = guard;
    this.memory = memory;
    this.dirty = dirty;
  }

  /** Takes {@code data}; the stream knows whether it is the last. */
  void send(SocketStream stream, ByteBuf data) {
    if (!data.isReadable()) {
      data.release();
      if (stream.pendingBytes() == 0 && stream.waitingHead() == null && stream.endsAfterData()) {
        writer.data(stream.id(), Unpooled.EMPTY_BUFFER, true);
        stream.onEndSent();
        stream.settle();
      }
      return;
    }
    int sent = 0;
    if (stream.pendingBytes() == 0 && stream.waitingHead() == null && line.isEmpty()) {
      int allowed = allowed(stream);
      while (data.readableBytes() > allowed && allowed > 0) {
        write(stream, data.readRetainedSlice(allowed), false);
        sent += allowed;
        allowed = allowed(stream);
      }
      if (allowed > 0) {
        int rest = data.readableBytes();
        write(stream, data, stream.endsAfterData());
        stream.onDataSent(sent + rest);
        return;
      }
    }
    boolean standsStill = stream.sendWindow() <= 0 || window.available() <= 0;
    try {
      stream.pending().add(data, standsStill, alloc);
    } catch (OutOfMemoryError e) {
      writer.fail(e);
      return;
    }
    if (standsStill && (stream.endsAfterData() || memory.isShort())) {
      stream.settlePending(alloc);
    }
    stream.onPendingChanged();
    join(stream);
    if (sent > 0) {
      stream.onDataSent(sent);
    }
  }

  /**
   * The peer widened the connection's window.
   *
   * @return false if it passed the greatest size
   */
  boolean widen(int increment) {
    return window.add(increment);
  }

  /** A stream may have become able to send; it does so at the end of the turn. */
  void join(SocketStream stream) {
    if (stream.hasHeadersToSend()) {
      if (!stream.isInHeadLine()) {
        stream.inHeadLine(true);
        heads = followedBy(stream, heads);
      }
    } else if (stream.pendingBytes() > 0 && stream.sendWindow() > 0 && !stream.isInLine()) {
      stream.inLine(true);
      line = followedBy(stream, line);
    }
    if (canSend()) {
      dirty.set();
    }
  }

  @SuppressWarnings("ReferenceEquality") // which line, not who is in it
  private static Deque<SocketStream> followedBy(SocketStream last, Deque<SocketStream> line) {
    Deque<SocketStream> own = line == NOBODY ? new ArrayDeque<>(1) : line;
    own.add(last);
    return own;
  }

  /** {@code stream} is gone: it would stand in the line for as long as the window is closed. */
  void leave(SocketStream stream) {
    if (stream.isInLine()) {
      stream.inLine(false);
      line.remove(stream);
    }
    if (stream.isInHeadLine()) {
      stream.inHeadLine(false);
      heads.remove(stream);
    }
  }

  /** How many streams stand in the line. */
  int inLine() {
    return line.size();
  }

  /** Whether streams wait that the connection's window and the socket would let pass. */
  boolean canSend() {
    return writer.isWritable() && (!heads.isEmpty() || (!line.isEmpty() && window.available() > 0));
  }

  private void pumpHeads() {
    while (!heads.isEmpty() && writer.isWritable()) {
      SocketStream stream = heads.removeFirst();
      stream.inHeadLine(false);
      if (stream.isGone()) {
        continue;
      }
      HeaderList head = stream.takeWaitingHead();
      if (head != null) {
        writer.headers(stream.id(), head, false);
      }
      if (stream.pendingBytes() > 0) {
        join(stream);
      } else {
        sendEnd(stream);
        stream.settle();
      }
    }
  }

  /** What follows the last byte: trailers, or END_STREAM alone. */
  private void sendEnd(SocketStream stream) {
    HeaderList trailers = stream.takeTrailers();
    if (trailers != null) {
      writer.headers(stream.id(), trailers, true);
      stream.onEndSent();
    } else if (stream.endsAfterData()) {
      writer.data(stream.id(), Unpooled.EMPTY_BUFFER, true);
      stream.onEndSent();
    }
  }

  /** Lets the line send until it is empty or something is full. */
  void pump() {
    pumpHeads();
    while (!line.isEmpty() && window.available() > 0 && writer.isWritable()) {
      SocketStream stream = line.removeFirst();
      stream.inLine(false);
      int allowed = allowed(stream);
      if (stream.isGone() || allowed <= 0 || stream.pendingBytes() == 0) {
        continue; // it was reset, or its window shrank, while it stood in the line
      }
      ByteBuf data = stream.pending().take(allowed);
      int bytes = data.readableBytes();
      boolean last = stream.pendingBytes() == 0;
      write(stream, data, last && stream.endsAfterData());
      stream.onPendingChanged();
      if (last && !stream.hasSentEnd()) {
        sendEnd(stream);
      }
      join(stream);
      stream.onDataSent(bytes);
    }
  }

  private int allowed(SocketStream stream) {
    if (!writer.isWritable()) {
      return 0;
    }
    int frame = Math.min(writer.maxFrameSize(), MAX_TURN_BYTES);
    return Math.min(frame, Math.min(window.available(), stream.sendWindow()));
  }

  private void write(SocketStream stream, ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    window.take(bytes);
    stream.takeSendWindow(bytes);
    writer.data(stream.id(), data, endStream);
    stream.onMoved();
    guard.onUsefulFrame(); // pays for the peer's WINDOW_UPDATE
    if (endStream) {
      stream.onEndSent();
    }
  }
}
