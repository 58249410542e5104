package io.outrigger.dataplane.upstream;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.forward.CallTransport;
import io.outrigger.http2.FallbackBuffers;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.PendingData;
import io.outrigger.http2.StreamHandler;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream on a connection of another event loop, used on the loop of its call (decision
 * proxy-0032). The call's frames are posted in order to the connection's loop ({@link Owner}), and
 * the backend's frames are posted in order to the call's loop.
 *
 * <pre>
 * WAITING -> OPEN  on a stream from the other loop
 * WAITING -> GONE  when the other loop has no stream, on cancel
 * OPEN    -> GONE  on reset from either side, on the connection lost
 * </pre>
 *
 * <p>After a reset by either side, arriving frames are dropped. DATA is copied before it leaves a
 * loop, because a buffer and its slices belong to one thread. Flow-control credit is returned when
 * the receiving loop has consumed the bytes. The flow-control windows of the streams limit the
 * bytes in transit between the loops.
 *
 * <p>The call's DATA is kept until the connection's loop reports it as sent. When the stream ends,
 * the call takes the unsent DATA back (decision proxy-0025).
 */
@LoopConfined
final class RemoteStream implements Http2Stream {
  private static final Logger log = LoggerFactory.getLogger(RemoteStream.class);

  /**
   * An event loop whose calls wait for streams of another loop. The methods are called on the
   * borrowing loop.
   */
  interface Borrower {
    /** Called just before the waiting call gets its stream. */
    void onLent(CallTransport.Waiter waiter);

    /** Called when the lending loop has no stream for the waiting call; nothing was sent. */
    void onNotLent(CallTransport.Waiter waiter);
  }

  /**
   * An event loop whose connections open streams for the calls of other loops. The methods are
   * called on the lending loop.
   */
  interface Lender {
    /** Notifies the waiting call, now or later, that a stream is open or cannot be opened. */
    void lend(Owner waiter);

    void forget(CallTransport.Waiter waiter);
  }

  private enum State {
    WAITING,
    OPEN,
    GONE
  }

  private final Borrower borrower;
  private final CallTransport.Waiter waiter;
  private final Executor lenderLoop;
  private final Lender lender;
  private final Owner owner;
  private State state = State.WAITING;
  private boolean sendEnded;

  private long maxHeaderListBytes = Long.MAX_VALUE;

  /** The number of received bytes that the call has not consumed. */
  private int unconsumed;

  /** DATA that the connection's loop has not yet reported as sent. */
  private PendingData unsent = new PendingData();

  RemoteStream(
      Borrower borrower,
      CallTransport.Waiter waiter,
      Executor borrowerLoop,
      Lender lender,
      Executor lenderLoop) {
    this.borrower = borrower;
    this.waiter = waiter;
    this.lenderLoop = lenderLoop;
    this.lender = lender;
    this.owner = new Owner(this, borrowerLoop, lender);
  }

  void request() {
    post(lenderLoop, () -> lender.lend(owner));
  }

  /** Cancels the wait without a notification. */
  void cancel() {
    if (state != State.GONE) {
      reset(Http2Error.CANCEL);
    }
  }

  // Notifications from the connection's loop.

  void onOpened(long maxHeaderListBytesOfPeer) {
    if (state == State.WAITING) { // otherwise a reset is in flight
      maxHeaderListBytes = maxHeaderListBytesOfPeer;
      state = State.OPEN;
      borrower.onLent(waiter);
      waiter.onOpened(this);
    }
  }

  void onNotOpened() {
    if (state == State.WAITING) {
      state = State.GONE;
      borrower.onNotLent(waiter);
    }
  }

  void deliver(Consumer<StreamHandler> event) {
    if (state == State.OPEN) {
      event.accept(waiter);
    }
  }

  void onData(ByteBuf data, boolean endStream) {
    if (state == State.OPEN) {
      unconsumed += data.readableBytes();
      waiter.onData(data, endStream);
    } else {
      data.release();
    }
  }

  void onDataSent(int bytes) {
    if (state == State.OPEN) {
      unsent.skip(Math.min(bytes, unsent.bytes())); // the call may have taken DATA back
      waiter.onDataSent(bytes);
    }
  }

  void deliverLast(Consumer<StreamHandler> event) {
    if (state == State.OPEN) {
      state = State.GONE;
      try {
        event.accept(waiter); // the handler may take the unsent DATA
      } finally {
        unsent.release();
      }
    }
  }

  // The call uses the following methods on its own event loop.

  @Override
  public long maxHeaderListBytes() {
    return maxHeaderListBytes;
  }

  @Override
  public void sendHeaders(HeaderList headers, boolean endStream) {
    if (isOpenForSending()) {
      sendEnded = endStream;
      post(lenderLoop, () -> owner.stream().sendHeaders(headers, endStream));
    }
  }

  @Override
  public void sendData(ByteBuf data, boolean endStream) {
    if (!isOpenForSending()) {
      data.release();
      return;
    }
    sendEnded = endStream;
    try {
      if (data.isReadable()) {
        unsent.add(data.retainedSlice(), true, data.alloc());
      }
    } catch (OutOfMemoryError e) {
      data.release();
      throw e;
    }
    postCopy(lenderLoop, data, copy -> owner.stream().sendData(copy, endStream));
  }

  @Override
  public void dropPending() {
    throw new UnsupportedOperationException("calls drop responses only");
  }

  @Override
  public void reset(Http2Error error) {
    if (state != State.GONE) {
      state = State.GONE;
      unsent.release();
      post(lenderLoop, () -> owner.reset(error));
    }
  }

  @Override
  public void consumed(int bytes) {
    if (bytes > unconsumed) {
      throw new IllegalStateException("returns " + bytes + " bytes, holds " + unconsumed);
    }
    unconsumed -= bytes;
    if (state == State.OPEN && bytes > 0) {
      post(lenderLoop, () -> owner.stream().consumed(bytes));
    }
  }

  /**
   * Takes the DATA that was not reported as sent. The caller must then end the stream, because the
   * connection's loop may still send its copy of the DATA.
   */
  @Override
  public PendingData takeUnsent() {
    PendingData taken = unsent;
    sendEnded &= taken.isEmpty(); // the end of the stream was queued behind the DATA
    unsent = new PendingData();
    return taken;
  }

  @Override
  public int pendingBytes() {
    return unsent.bytes();
  }

  boolean isOpenForSending() {
    return state == State.OPEN && !sendEnded;
  }

  @Override
  public boolean hasSentEnd() {
    return sendEnded && unsent.isEmpty();
  }

  /**
   * Posts a copy of the data to a loop, and releases the data. The given consumer must release the
   * copy. The indices of the data do not change, because other holders of the buffer may use them.
   */
  static void postCopy(Executor loop, ByteBuf data, Consumer<ByteBuf> taker) {
    int bytes = data.readableBytes();
    ByteBuf copy = Unpooled.EMPTY_BUFFER;
    try {
      if (bytes > 0) {
        copy = FallbackBuffers.buffer(data.alloc(), bytes, bytes);
        copy.writeBytes(data, data.readerIndex(), bytes);
      }
    } finally {
      data.release();
    }
    ByteBuf posted = copy;
    try {
      loop.execute(() -> taker.accept(posted));
    } catch (RejectedExecutionException processEnds) {
      posted.release();
    }
  }

  static void post(Executor loop, Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      log.debug("an event loop has stopped: the process ends", stopped);
    }
  }

  /**
   * The half of a {@link RemoteStream} that runs on the connection's loop. An {@code Owner} waits
   * for a free stream in the same queue as the calls of the connection's loop. An {@code Owner}
   * posts every event of the stream to the call's loop.
   */
  @LoopConfined
  static final class Owner implements CallTransport.Waiter {
    private final RemoteStream remote;
    private final Executor loopOfCall;
    private final Lender lender;
    private @Nullable Http2Stream stream;

    Owner(RemoteStream remote, Executor loopOfCall, Lender lender) {
      this.remote = remote;
      this.loopOfCall = loopOfCall;
      this.lender = lender;
    }

    /** Returns the stream; valid only after {@link #onOpened}. */
    Http2Stream stream() {
      return requireNonNull(stream, "the stream was not opened");
    }

    /** Cancels the wait for the stream, or resets the open stream. */
    void reset(Http2Error error) {
      if (stream == null) {
        lender.forget(this);
      } else {
        stream.reset(error);
      }
    }

    @Override
    public void onOverload() {
      post(loopOfCall, () -> remote.deliver(StreamHandler::onOverload));
    }

    @Override
    public void onOpened(Http2Stream opened) {
      stream = opened;
      long maxHeaderListBytes = opened.maxHeaderListBytes();
      post(loopOfCall, () -> remote.onOpened(maxHeaderListBytes));
    }

    @Override
    public void onNotOpened() {
      post(loopOfCall, remote::onNotOpened);
    }

    @Override
    public void onHeaders(HeaderList headers, boolean endStream) {
      post(loopOfCall, () -> remote.deliver(call -> call.onHeaders(headers, endStream)));
    }

    @Override
    public void onData(ByteBuf data, boolean endStream) {
      postCopy(loopOfCall, data, copy -> remote.onData(copy, endStream));
    }

    @Override
    public void onDataSent(int bytes) {
      post(loopOfCall, () -> remote.onDataSent(bytes));
    }

    @Override
    public void onReset(Http2Error error) {
      end(call -> call.onReset(error));
    }

    @Override
    public void onFault(Http2Error error, String reason) {
      end(call -> call.onFault(error, reason));
    }

    @Override
    public void onConnectionLost(Refusal refusal, String reason) {
      end(call -> call.onConnectionLost(refusal, reason));
    }

    private void end(Consumer<StreamHandler> event) {
      post(loopOfCall, () -> remote.deliverLast(event));
    }
  }
}
