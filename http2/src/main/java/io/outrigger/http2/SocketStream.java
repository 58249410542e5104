package io.outrigger.http2;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * The state of one stream (RFC 9113 section 5.1), which has a sending and a receiving half:
 *
 * <pre>
 * sending:   OPEN -> ENDING  on a request to send END_STREAM while DATA waits
 *            OPEN, ENDING -> ENDED  on END_STREAM written
 * receiving: open -> ended   on END_STREAM received
 * both halves ended, stream reset by either side, or connection lost -> gone
 * </pre>
 *
 * <p>A stream that is gone is no longer in the {@link StreamTable}; calls on it do nothing. To save
 * memory, a stream keeps its counters in plain fields, not in objects of their own.
 */
@LoopConfined
final class SocketStream implements Http2Stream {
  private enum Sending {
    OPEN,
    ENDING,
    ENDED
  }

  /** The value of {@code contentLeft} for a message without content-length. */
  private static final long NO_CONTENT_LENGTH = -1;

  /** The value of {@code contentLeft} before the head of the message has arrived. */
  private static final long NO_HEAD = -2;

  private final ConnectionStreams streams;

  /** DATA to be sent; null on most streams, where DATA never waits. */
  private @Nullable PendingData pending;

  private @Nullable StreamHandler handler;
  private int id;
  private Sending sending = Sending.OPEN;
  private boolean receiveEnded;
  private boolean gone;

  /** The response head for which the socket had no room; it is the next to be written. */
  private @Nullable HeaderList waitingHead;

  /** Trailers that are written after the pending DATA. */
  private @Nullable HeaderList trailers;

  /** Bytes that were passed to the handler and not yet returned with {@link #consumed}. */
  private int held;

  /** The heap size of the request that the peer has sent on this stream. */
  private int headBytes;

  /** Bytes that the peer allows us to send; negative after the peer has lowered its window. */
  private int sendWindow;

  private int credit;

  /** Consumed bytes for which no WINDOW_UPDATE has been sent yet. */
  private int returned;

  /** The size of the receive window, including the part that received DATA has used. */
  private int receiveWindow;

  /**
   * The number of bytes of content-length that have not arrived; {@link #NO_CONTENT_LENGTH} if the
   * head has no content-length; {@link #NO_HEAD} before the head.
   */
  private long contentLeft = NO_HEAD;

  /** Whether the method was HEAD: the response has no content, whatever its content-length. */
  private boolean headRequest;

  SocketStream(ConnectionStreams streams, int id, int sendWindow, int credit, int receiveWindow) {
    this.streams = streams;
    this.id = id;
    this.sendWindow = sendWindow;
    this.credit = credit;
    this.receiveWindow = receiveWindow;
  }

  /** The stream's id; 0 before the first {@link #sendHeaders} of a stream that this side opened. */
  int id() {
    return id;
  }

  void id(int value) {
    id = value;
  }

  void handler(StreamHandler value) {
    handler = value;
  }

  StreamHandler handler() {
    return requireNonNull(handler, "stream has no handler");
  }

  boolean hasHandler() {
    return handler != null;
  }

  @Override
  public void sendHeaders(HeaderList headers, boolean endStream) {
    if (!isOpenForSending()) {
      return;
    }
    if (!isWaiting() && !streams.holdsBack(this)) {
      streams.writeHeaders(this, headers, endStream);
      return;
    }
    if (endStream) {
      trailers = headers;
      sending = Sending.ENDING;
    } else if (pendingBytes() == 0) {
      waitingHead = headers; // replaces an interim head that still waits
    } else {
      throw new IllegalStateException("header block within the content of stream " + id);
    }
    streams.scheduler().join(this);
  }

  @Override
  public long maxHeaderListBytes() {
    return streams.peer().maxHeaderListBytes();
  }

  @Override
  public void sendData(ByteBuf data, boolean endStream) {
    if (!isOpenForSending()) {
      data.release();
      return;
    }
    if (endStream) {
      sending = Sending.ENDING;
    }
    streams.scheduler().send(this, data);
  }

  @Override
  public void dropPending() {
    if (gone || sending == Sending.ENDED) {
      return;
    }
    sending = Sending.OPEN;
    trailers = null;
    if (pending != null) {
      streams.scheduler().leave(this);
      pending.release();
    }
    if (waitingHead != null) {
      streams.scheduler().join(this);
    }
  }

  @Override
  public PendingData takeUnsent() {
    PendingData unsent = pending();
    pending = null;
    return unsent;
  }

  void headBytes(int bytes) {
    headBytes = bytes;
  }

  /** The approximate number of bytes of header lists, unconsumed DATA and pending DATA. */
  int queuedBytes() {
    return headBytes + held + heapBytes(waitingHead) + heapBytes(trailers) + pendingBytes();
  }

  void settlePending(ByteBufAllocator alloc) {
    if (pending != null) {
      pending.settle(true, alloc);
    }
  }

  @Override
  public void reset(Http2Error error) {
    if (!gone) {
      streams.resetByUs(this, error);
    }
  }

  @Override
  public void consumed(int bytes) {
    if (gone || bytes == 0) {
      return;
    }
    if (bytes < 0 || bytes > held) {
      throw new IllegalStateException(
          "stream " + id + " returns " + bytes + " bytes, it holds " + held);
    }
    held -= bytes;
    streams.returnCredit(this, bytes);
  }

  @Override
  public int pendingBytes() {
    return pending == null ? 0 : pending.bytes();
  }

  @Override
  public boolean isOnHeavyConnection() {
    return streams.isHeavy();
  }

  boolean isOpenForSending() {
    return !gone && sending == Sending.OPEN;
  }

  @Override
  public boolean hasSentEnd() {
    return sending == Sending.ENDED;
  }

  /** Whether a head or DATA waits to be sent, so that later heads and DATA must wait, too. */
  private boolean isWaiting() {
    return waitingHead != null || pendingBytes() > 0;
  }

  @Nullable HeaderList waitingHead() {
    return waitingHead;
  }

  @Nullable HeaderList takeWaitingHead() {
    HeaderList taken = waitingHead;
    waitingHead = null;
    return taken;
  }

  private static int heapBytes(@Nullable HeaderList headers) {
    return headers == null ? 0 : headers.heapBytes();
  }

  /** Whether a header block could be sent now if the socket had room. */
  boolean hasHeadersToSend() {
    return waitingHead != null || (trailers != null && pendingBytes() == 0);
  }

  boolean isGone() {
    return gone;
  }

  /** Whether END_STREAM follows the last pending byte, without trailers in between. */
  boolean endsAfterData() {
    return sending == Sending.ENDING && trailers == null;
  }

  @Nullable HeaderList takeTrailers() {
    HeaderList taken = trailers;
    trailers = null;
    return taken;
  }

  void onEndSent() {
    sending = Sending.ENDED;
  }

  void onEndReceived() {
    receiveEnded = true;
  }

  boolean isReceiveEnded() {
    return receiveEnded;
  }

  void onDataSent(int bytes) {
    if (!gone) {
      handler().onDataSent(bytes);
      settle();
    }
  }

  void onMoved() {
    streams.onMoved();
  }

  /** Removes the stream from the table if both sides have sent END_STREAM. */
  void settle() {
    if (receiveEnded && sending == Sending.ENDED && !gone) {
      streams.finish(this);
    }
  }

  /** The number of bytes that this stream's window allows to be sent; may be negative. */
  int sendWindow() {
    return sendWindow;
  }

  void takeSendWindow(int bytes) {
    sendWindow -= bytes;
  }

  /**
   * Adds a positive or negative number of bytes to the send window (RFC 9113 sections 6.9.1 and
   * 6.9.2). Returns false if the window would exceed 2^31-1.
   */
  boolean widenSendWindow(int bytes) {
    boolean fits = SendScheduler.fits(sendWindow, bytes);
    sendWindow += fits ? bytes : 0;
    return fits;
  }

  /** Subtracts received DATA from the peer's credit; returns false if the credit is exceeded. */
  boolean receive(int bytes) {
    boolean fits = bytes <= credit;
    credit -= fits ? bytes : 0;
    return fits;
  }

  /** The number of bytes that the peer may send before it gets more credit. */
  int credit() {
    return credit;
  }

  /** Reduces the peer's credit after the peer has acknowledged a smaller window. */
  void shrinkCredit(int bytes) {
    credit -= bytes;
  }

  /**
   * Counts consumed bytes. Returns the increment for a WINDOW_UPDATE, or 0 while less than half of
   * the window is consumed.
   */
  int giveBack(int bytes) {
    returned += bytes;
    if (returned == 0 || returned < (receiveWindow + 1) / 2) {
      return 0;
    }
    int increment = returned;
    returned = 0;
    credit += increment;
    return increment;
  }

  int receiveWindow() {
    return receiveWindow;
  }

  /** Widens the receive window; the caller sends the WINDOW_UPDATE. */
  void widenReceiveWindow(int more) {
    receiveWindow += more;
    credit += more;
  }

  PendingData pending() {
    if (pending == null) {
      pending = new PendingData();
    }
    return pending;
  }

  /** Whether the head of the peer's message has arrived; heads with a 1xx status do not count. */
  boolean hasHead() {
    return contentLeft != NO_HEAD;
  }

  /** Called when the final head has arrived, with -1 for a head without content-length. */
  void onHead(long contentLength) {
    contentLeft = Math.max(contentLength, NO_CONTENT_LENGTH);
  }

  /** Counts received content. Returns false if content-length does not match (section 8.1.1). */
  boolean takeContent(int bytes, boolean endStream) {
    if (contentLeft < 0) {
      return true;
    }
    contentLeft -= bytes;
    return endStream ? contentLeft == 0 : contentLeft >= 0;
  }

  boolean lacksContent() {
    return contentLeft > 0;
  }

  void onHeadRequest() {
    headRequest = true;
  }

  boolean isHeadRequest() {
    return headRequest;
  }

  void hold(int bytes) {
    held += bytes;
  }

  /** Marks the stream as gone and clears the header blocks that wait. */
  void end() {
    waitingHead = null;
    trailers = null;
    gone = true;
  }

  void release() {
    if (pending != null) {
      pending.release();
      pending = null;
    }
  }
}
