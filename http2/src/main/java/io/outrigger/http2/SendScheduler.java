package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Sends DATA within the peer's flow-control windows and no faster than the socket accepts it.
 * Streams that have to wait are queued, and each stream sends one frame when it reaches the head of
 * the queue. A stream with a closed window does not block other streams, and a large message does
 * not delay a small one. Header blocks need no window but, like DATA, wait for the socket. The
 * queue of header blocks is served before the queue of DATA.
 *
 * <p>Implements RFC 9113 section 5.2.
 */
@LoopConfined
final class SendScheduler {
  /** The maximum payload of a DATA frame, so that each stream in the queue is served soon. */
  private static final int MAX_FRAME_BYTES = 32 << 10;

  private final FrameWriter writer;
  private final ByteBufAllocator alloc;
  private final AbuseGuard guard;
  private final ProcessMemory memory;
  private final LoopTurn.Mark dirty;

  /** The number of bytes of DATA that the peer allows on all streams together. */
  private int window = ConnectionSettings.INITIAL_WINDOW;

  /** Streams with pending DATA and an open stream window, in the order in which they are served. */
  private final Set<SocketStream> dataQueue = new LinkedHashSet<>();

  /** Streams whose next item to send is a header block. */
  private final Set<SocketStream> headQueue = new LinkedHashSet<>();

  SendScheduler(
      FrameWriter writer,
      ByteBufAllocator alloc,
      AbuseGuard guard,
      ProcessMemory memory,
      LoopTurn.Mark dirty) {
    this.writer = writer;
    this.alloc = alloc;
    this.guard = guard;
    this.memory = memory;
    this.dirty = dirty;
  }

  /**
   * Sends or queues {@code data} and takes ownership of it. The caller must already have recorded
   * in {@code stream} whether END_STREAM follows the data.
   */
  void send(SocketStream stream, ByteBuf data) {
    if (!data.isReadable()) {
      data.release();
      if (stream.pendingBytes() == 0 && stream.waitingHead() == null && stream.endsAfterData()) {
        sendEnd(stream);
        stream.settle();
      }
      return;
    }
    int sent = 0;
    if (stream.pendingBytes() == 0 && stream.waitingHead() == null && dataQueue.isEmpty()) {
      int allowed = allowed(stream);
      while (data.readableBytes() > allowed && allowed > 0) {
        write(stream, data.readRetainedSlice(allowed), false);
        sent += allowed;
        allowed = allowed(stream);
      }
      if (allowed > 0) {
        int remaining = data.readableBytes();
        write(stream, data, stream.endsAfterData());
        stream.onDataSent(sent + remaining);
        return;
      }
    }
    boolean isStalled = stream.sendWindow() <= 0 || window <= 0;
    try {
      stream.pending().add(data, isStalled, alloc);
    } catch (OutOfMemoryError e) {
      writer.fail(e);
      return;
    }
    if (isStalled && (stream.endsAfterData() || memory.isShort())) {
      stream.settlePending(alloc);
    }
    join(stream);
    if (sent > 0) {
      stream.onDataSent(sent);
    }
  }

  /** Widens the connection's send window; returns false if the window would exceed 2^31-1. */
  boolean widen(int increment) {
    boolean fits = fits(window, increment);
    window += fits ? increment : 0;
    return fits;
  }

  /** Whether a window can change by a number of bytes without exceeding 2^31-1. */
  static boolean fits(int available, int bytes) {
    long sum = (long) available + bytes;
    return sum == (int) sum;
  }

  /**
   * Queues a stream that may be able to send; the queue is served at the end of the loop's turn.
   */
  void join(SocketStream stream) {
    if (stream.hasHeadersToSend()) {
      headQueue.add(stream);
    } else if (stream.pendingBytes() > 0 && stream.sendWindow() > 0) {
      dataQueue.add(stream);
    }
    if (canSend()) {
      dirty.set();
    }
  }

  private static SocketStream removeFirst(Set<SocketStream> queue) {
    Iterator<SocketStream> streams = queue.iterator();
    SocketStream first = streams.next();
    streams.remove();
    return first;
  }

  /** Removes a stream that has ended from the header and DATA queues. */
  void leave(SocketStream stream) {
    if (!dataQueue.isEmpty()) { // saves the hash of streams that never wait
      dataQueue.remove(stream);
    }
    if (!headQueue.isEmpty()) {
      headQueue.remove(stream);
    }
  }

  /** The number of streams that wait to send DATA. */
  int queuedStreams() {
    return dataQueue.size();
  }

  /** Whether a waiting stream can send now, given the connection's window and the socket. */
  boolean canSend() {
    return writer.isWritable() && (!headQueue.isEmpty() || (!dataQueue.isEmpty() && window > 0));
  }

  /** Sends the end of a stream: trailers, or an empty DATA frame with END_STREAM. */
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

  /** Serves the header and DATA queues as far as the window and the socket allow. */
  void pump() {
    while (!headQueue.isEmpty() && writer.isWritable()) {
      SocketStream stream = removeFirst(headQueue);
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
    while (!dataQueue.isEmpty() && window > 0 && writer.isWritable()) {
      SocketStream stream = removeFirst(dataQueue);
      int allowed = allowed(stream);
      if (allowed <= 0 || stream.pendingBytes() == 0) {
        continue; // the stream's window shrank, or its DATA was dropped, while the stream waited
      }
      ByteBuf data = stream.pending().take(allowed);
      int bytes = data.readableBytes();
      boolean last = stream.pendingBytes() == 0;
      write(stream, data, last && stream.endsAfterData());
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
    int frame = Math.min(writer.maxFrameSize(), MAX_FRAME_BYTES);
    return Math.min(frame, Math.min(window, stream.sendWindow()));
  }

  private void write(SocketStream stream, ByteBuf data, boolean endStream) {
    int bytes = data.readableBytes();
    window -= bytes;
    stream.takeSendWindow(bytes);
    writer.data(stream.id(), data, endStream);
    stream.onMoved();
    guard.onUsefulFrame(); // offsets the peer's WINDOW_UPDATE
    if (endStream) {
      stream.onEndSent();
    }
  }
}
