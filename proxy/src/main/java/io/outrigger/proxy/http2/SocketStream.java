package io.outrigger.proxy.http2;

import io.netty.buffer.ByteBuf;
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
 */
@LoopConfined
final class SocketStream implements Http2Stream {
  private enum Sending {
    OPEN,
    ENDING,
    ENDED
  }

  private final SocketConnection connection;
  private final FlowWindow sendWindow;
  private final CreditWindow creditWindow;

  /** Made when it is first needed: most streams never wait. */
  private @Nullable PendingData pending;

  private @Nullable StreamHandler handler;
  private int id;
  private Sending sending = Sending.OPEN;
  private boolean receiveEnded;
  private boolean gone;

  /** Written after the pending DATA. */
  private @Nullable HeaderList trailers;

  /** Bytes handed to the handler that have not been returned. */
  private int held;

  /** Whether {@link OutboundData} has it in its line. */
  private boolean inLine;

  private final Inbound inbound = new Inbound();

  SocketStream(SocketConnection connection, int id, FlowWindow send, CreditWindow credit) {
    this.connection = connection;
    this.id = id;
    this.sendWindow = send;
    this.creditWindow = credit;
  }

  /** What has come so far of the peer's message. */
  @LoopConfined
  static final class Inbound {
    boolean headReceived;

    /** Promised content that has not come; -1 when nothing was promised. */
    long contentLeft = -1;

    /** The request was HEAD: the response's content-length promises nothing. */
    boolean headRequest;
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
    if (pendingBytes() > 0) {
      if (!endStream) {
        throw new IllegalStateException("header block within the content of stream " + id);
      }
      trailers = headers;
      sending = Sending.ENDING;
      return;
    }
    connection.writeHeaders(this, headers, endStream);
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
    connection.outbound().send(this, data);
  }

  @Override
  public void dropPending() {
    if (isOpenForSending() && pending != null) {
      connection.outbound().leave(this);
      pending.release();
    }
  }

  @Override
  public void reset(Http2Error error) {
    if (!gone) {
      connection.resetByUs(this, error);
    }
  }

  @Override
  public void consumed(int bytes) {
    if (gone || bytes == 0) {
      return; // the connection settled it when the stream ended
    }
    if (bytes < 0 || bytes > held) {
      throw new IllegalStateException(
          "stream " + id + " returns " + bytes + " bytes, it holds " + held);
    }
    held -= bytes;
    connection.returnCredit(this, bytes);
  }

  @Override
  public int pendingBytes() {
    return pending == null ? 0 : pending.bytes();
  }

  @Override
  public boolean isOpenForSending() {
    return !gone && sending == Sending.OPEN;
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

  /** Whether both sides have said all. */
  boolean isFinished() {
    return receiveEnded && sending == Sending.ENDED;
  }

  FlowWindow sendWindow() {
    return sendWindow;
  }

  CreditWindow creditWindow() {
    return creditWindow;
  }

  PendingData pending() {
    PendingData known = pending;
    if (known == null) {
      known = new PendingData();
      pending = known;
    }
    return known;
  }

  Inbound inbound() {
    return inbound;
  }

  void hold(int bytes) {
    held += bytes;
  }

  boolean isInLine() {
    return inLine;
  }

  void inLine(boolean value) {
    inLine = value;
  }

  /**
   * Leaves the stage: drops what waits.
   *
   * @return the bytes that its handler held, for the connection's window
   */
  int end() {
    gone = true;
    if (pending != null) {
      pending.release();
    }
    trailers = null;
    int left = held;
    held = 0;
    return left;
  }
}
