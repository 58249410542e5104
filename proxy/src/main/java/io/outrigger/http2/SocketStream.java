package io.outrigger.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.outrigger.base.LoopConfined;
import org.jspecify.annotations.Nullable;

/**
 * One stream's state (RFC 9113 section 5.1), which is the state of its two halves:
 *
 * <pre>
 * sending:   OPEN -> ENDING  on END_STREAM asked for while DATA waits
 *            OPEN, ENDING -> ENDED  on END_STREAM written
 * receiving: open -> ended   on END_STREAM received
 * both ended, or reset from either side, or the connection lost -> gone
 * </pre>
 *
 * A stream that is gone has left the table; whatever is called on it then does nothing.
 *
 * <p>Every call has two of these: what is counted for a stream stands in plain fields, not in
 * objects of its own.
 */
@LoopConfined
final class SocketStream implements Http2Stream {
  private enum Sending {
    OPEN,
    ENDING,
    ENDED
  }

  /** The head of the peer's message says nothing of the length of its content. */
  private static final long NO_PROMISE = -1;

  /** It has not come yet. */
  private static final long NO_HEAD = -2;

  private final ConnectionStreams streams;

  /** Made when it is first needed: most streams never wait. */
  private @Nullable PendingData pending;

  private @Nullable StreamHandler handler;
  private int id;
  private Sending sending = Sending.OPEN;
  private boolean receiveEnded;
  private boolean gone;

  /** A head, or an interim one, that the socket had no room for; written before anything else. */
  private @Nullable HeaderList waitingHead;

  /** Written after the pending DATA. */
  private @Nullable HeaderList trailers;

  /** Bytes handed to the handler that have not been returned. */
  private int held;

  /** Whether {@link SendScheduler} has it in its line, and in that of header blocks. */
  private boolean inLine;

  private boolean inHeadLine;

  /** What its connection has counted of it: heads and DATA that came, and DATA to be sent. */
  private int queued;

  private int countedPending;

  /** What the peer's window leaves for us to send; below zero when the peer lowered it. */
  private int sendWindow;

  /** What the peer may still send us, and what went on and will be added to that. */
  private int credit;

  private int returned;

  /** How much the peer may send before any of it has gone on. */
  private int receiveWindow;

  /** Content that was promised and has not come, {@link #NO_PROMISE} or {@link #NO_HEAD}. */
  private long contentLeft = NO_HEAD;

  /** The request was HEAD: the response's content-length promises nothing. */
  private boolean headRequest;

  /**
   * @param sendWindow what the peer lets us send
   * @param credit what the peer may believe it can send
   * @param receiveWindow what we let the peer send
   */
  SocketStream(ConnectionStreams streams, int id, int sendWindow, int credit, int receiveWindow) {
    this.streams = streams;
    this.id = id;
    this.sendWindow = sendWindow;
    this.credit = credit;
    this.receiveWindow = receiveWindow;
  }

  @Override
  public int id() {
    return id;
  }

  void id(int value) {
    id = value;
  }

  @Override
  public void handler(StreamHandler value) {
    handler = value;
  }

  StreamHandler handler() {
    StreamHandler current = handler;
    if (current == null) {
      throw new IllegalStateException("stream " + id + " has no handler");
    }
    return current;
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
      setTrailers(headers);
      sending = Sending.ENDING;
    } else if (pendingBytes() == 0) {
      setWaitingHead(headers); // an interim one that waited is overtaken
    } else {
      throw new IllegalStateException("header block within the content of stream " + id);
    }
    streams.scheduler().join(this);
  }

  @Override
  public void sendHeaders(HeaderList.Builder fields, boolean endStream) {
    if (isOpenForSending() && !isWaiting() && !streams.holdsBack(this)) {
      streams.writeHeaders(this, fields, endStream);
    } else {
      sendHeaders(fields.copy(false), endStream);
    }
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
    setTrailers(null);
    if (pending != null) {
      streams.scheduler().leave(this);
      pending.release();
      onPendingChanged();
    }
    if (waitingHead != null) {
      streams.scheduler().join(this);
    }
  }

  @Override
  public PendingData takeUnsent() {
    PendingData unsent = pending;
    if (unsent == null) {
      return new PendingData();
    }
    pending = null;
    onPendingChanged();
    return unsent;
  }

  /** Holds {@code bytes} more, or less: part of what its connection weighs. */
  void queue(int bytes) {
    if (!gone) {
      queued += bytes;
      streams.onQueued(bytes);
    }
  }

  /** Makes what waits take as little as it can. */
  void settlePending(ByteBufAllocator alloc) {
    if (pending != null) {
      pending.settle(alloc);
    }
  }

  /** Counts what waits to be sent. */
  void onPendingChanged() {
    if (!gone) {
      countPending(pendingBytes());
    }
  }

  private void countPending(int now) {
    if (now != countedPending) {
      streams.onPending(now - countedPending);
      countedPending = now;
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
    queue(-bytes);
    streams.returnCredit(this, bytes);
  }

  @Override
  public int pendingBytes() {
    return pending == null ? 0 : pending.bytes();
  }

  @Override
  public boolean isOpenForSending() {
    return !gone && sending == Sending.OPEN;
  }

  @Override
  public boolean hasSentEnd() {
    return sending == Sending.ENDED;
  }

  /** Whether something stands before what is sent next. */
  private boolean isWaiting() {
    return waitingHead != null || pendingBytes() > 0;
  }

  /** The head that waits for the socket; null when there is none. */
  @Nullable HeaderList waitingHead() {
    return waitingHead;
  }

  @Nullable HeaderList takeWaitingHead() {
    HeaderList taken = waitingHead;
    setWaitingHead(null);
    return taken;
  }

  private void setWaitingHead(@Nullable HeaderList headers) {
    int before = waitingHead == null ? 0 : waitingHead.heapBytes();
    waitingHead = headers;
    queue((headers == null ? 0 : headers.heapBytes()) - before);
  }

  private void setTrailers(@Nullable HeaderList headers) {
    int before = trailers == null ? 0 : trailers.heapBytes();
    trailers = headers;
    queue((headers == null ? 0 : headers.heapBytes()) - before);
  }

  /** Whether header blocks wait for nothing but the socket. */
  boolean hasHeadersToSend() {
    return waitingHead != null || (trailers != null && pendingBytes() == 0);
  }

  boolean isInHeadLine() {
    return inHeadLine;
  }

  void inHeadLine(boolean value) {
    inHeadLine = value;
  }

  boolean isGone() {
    return gone;
  }

  /** END_STREAM is to follow the last pending byte, or stands alone. */
  boolean endsAfterData() {
    return sending == Sending.ENDING && trailers == null;
  }

  /** The trailers that follow the last pending byte; null when there are none. */
  @Nullable HeaderList takeTrailers() {
    HeaderList taken = trailers;
    setTrailers(null);
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

  boolean isSendEnded() {
    return sending == Sending.ENDED;
  }

  /** {@code bytes} of DATA have been given to the socket. */
  void onDataSent(int bytes) {
    if (!gone) {
      handler().onDataSent(bytes);
      settle();
    }
  }

  /** DATA was written. */
  void onMoved() {
    streams.onMoved();
  }

  /** Leaves the table if both sides have said all. */
  void settle() {
    if (receiveEnded && sending == Sending.ENDED && !gone) {
      streams.finish(this);
    }
  }

  /** How many bytes may be sent, as far as this stream goes; may be below zero. */
  int sendWindow() {
    return sendWindow;
  }

  void takeSendWindow(int bytes) {
    if (bytes > sendWindow) {
      throw new IllegalStateException("window of " + sendWindow + " is asked for " + bytes);
    }
    sendWindow -= bytes;
  }

  /**
   * The peer widens, or narrows, what may be sent (RFC 9113 sections 6.9.1 and 6.9.2).
   *
   * @return false if the window would pass 2^31-1, an error of the peer
   */
  boolean widenSendWindow(int bytes) {
    if (!SendWindow.fits(sendWindow, bytes)) {
      return false;
    }
    sendWindow += bytes;
    return true;
  }

  /**
   * Counts DATA that came.
   *
   * @return false if the peer was not allowed to send it
   */
  boolean receive(int bytes) {
    if (bytes > credit) {
      return false;
    }
    credit -= bytes;
    return true;
  }

  /** What the peer may send before it gets more credit. */
  int credit() {
    return credit;
  }

  /** The peer learned of a smaller window than it began with. */
  void shrinkCredit(int bytes) {
    credit -= bytes;
  }

  /**
   * Counts bytes that have gone on. Credit is told at half of the window, so that WINDOW_UPDATE
   * costs little.
   *
   * @return the increment to send now, or 0 while it can wait
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

  /** The peer will be told of {@code more} credit than it had. */
  void widenReceiveWindow(int more) {
    receiveWindow += more;
    credit += more;
  }

  PendingData pending() {
    PendingData known = pending;
    if (known == null) {
      known = new PendingData();
      pending = known;
    }
    return known;
  }

  /** Whether DATA or trailers may come. */
  boolean hasHead() {
    return contentLeft != NO_HEAD;
  }

  /**
   * The head of the peer's message has come.
   *
   * @param contentLength what it promises; negative when it promises nothing
   */
  void onHead(long contentLength) {
    contentLeft = Math.max(contentLength, NO_PROMISE);
  }

  /** Counts content that came: false if it is not as much as was promised (section 8.1.1). */
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
    queue(bytes);
  }

  boolean isInLine() {
    return inLine;
  }

  void inLine(boolean value) {
    inLine = value;
  }

  /** Ends the stream: forgets what waits. */
  void end() {
    waitingHead = null;
    trailers = null;
    countPending(0);
    queue(-queued);
    gone = true;
  }

  /** Drops what waits; the handler has heard of the end. */
  void release() {
    if (pending != null) {
      pending.release();
      pending = null;
    }
  }
}
