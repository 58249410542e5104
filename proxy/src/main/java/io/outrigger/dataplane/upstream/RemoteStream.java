package io.outrigger.dataplane.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.forward.StreamWaiter;
import io.outrigger.dataplane.memory.FallbackBuffers;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.PendingData;
import io.outrigger.http2.StreamHandler;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream on a connection of another event loop, as the loop of its call has it (decision
 * proxy-0032). What the call says is posted to the {@link RemoteStreamOwner}, and what the backend
 * says comes back in the same way, both in order.
 *
 * <pre>
 * WAITING -> OPEN  on a stream given by the other loop
 * WAITING -> GONE  on none given, or on cancel
 * OPEN    -> GONE  on reset from either side, on the connection lost
 * </pre>
 *
 * <p>What is under way when a side has reset the stream is let go where it arrives. DATA is copied
 * as it leaves a loop: a buffer, and what its slices share with it, belongs to one thread. Credit
 * goes the same way as DATA, back from where bytes were consumed, so that the windows of both
 * streams bound what is between the loops.
 *
 * <p>DATA of the call stays here, too, until the other loop says that it has left: the call has it
 * back at once when the stream has ended, wherever it was by then (decision proxy-0025).
 */
@LoopConfined
final class RemoteStream implements Http2Stream {
  private static final Logger log = LoggerFactory.getLogger(RemoteStream.class);

  /** Whose calls wait for streams elsewhere; on its loop. */
  interface Borrower {
    /** {@code waiter} is about to get its stream. */
    void onLent(StreamWaiter waiter);

    /** The other loop has no stream to give to {@code waiter}; nothing was sent. */
    void onNotLent(StreamWaiter waiter, String reason);
  }

  private enum State {
    WAITING,
    OPEN,
    GONE
  }

  private final Borrower borrower;
  private final StreamWaiter waiter;
  private final Executor elsewhere;
  private final RemoteStreamOwner owner;
  private StreamHandler handler;
  private State state = State.WAITING;
  private boolean sendEnded;

  private long maxHeaderListBytes = Long.MAX_VALUE;

  /** Bytes that came and were not returned. */
  private int held;

  /** What has not left the other loop, as far as is known here. */
  private PendingData unsent = new PendingData();

  /**
   * @param here runs tasks on the loop of {@code borrower}
   * @param elsewhere runs tasks on the loop of {@code lender}
   */
  RemoteStream(
      Borrower borrower,
      StreamWaiter waiter,
      Executor here,
      RemoteStreamOwner.Lender lender,
      Executor elsewhere) {
    this.borrower = borrower;
    this.waiter = waiter;
    this.handler = waiter;
    this.elsewhere = elsewhere;
    this.owner = new RemoteStreamOwner(this, here, lender);
  }

  /** Asks for the stream. */
  void request() {
    post(elsewhere, owner::request);
  }

  /** Who waited does so no longer; nothing is told. */
  void cancel() {
    if (state != State.GONE) {
      reset(Http2Error.CANCEL);
    }
  }

  // What the other loop says.

  void onOpened(long maxHeaderListBytesOfPeer) {
    if (state == State.WAITING) { // else a reset is on its way
      maxHeaderListBytes = maxHeaderListBytesOfPeer;
      state = State.OPEN;
      borrower.onLent(waiter);
      waiter.onOpened(this);
    }
  }

  void onNotOpened(String reason) {
    if (state == State.WAITING) {
      state = State.GONE;
      borrower.onNotLent(waiter, reason);
    }
  }

  void onHeaders(HeaderList headers, boolean endStream) {
    if (state == State.OPEN) {
      handler.onHeaders(headers, endStream);
    }
  }

  void onData(ByteBuf data, boolean endStream) {
    if (state == State.OPEN) {
      held += data.readableBytes();
      handler.onData(data, endStream);
    } else {
      data.release();
    }
  }

  void onDataSent(int bytes) {
    if (state == State.OPEN) {
      forget(bytes);
      handler.onDataSent(bytes);
    }
  }

  void onDropped(int bytes) {
    forget(bytes);
  }

  /** Bytes are no longer on the way; the call may have taken them back by now. */
  private void forget(int bytes) {
    unsent.skip(Math.min(bytes, unsent.bytes()));
  }

  void onReset(Http2Error error, boolean byPeer) {
    end(last -> last.onReset(error, byPeer));
  }

  void onFault(Http2Error error, String reason) {
    end(last -> last.onFault(error, reason));
  }

  void onOverload() {
    if (state == State.OPEN) {
      handler.onOverload();
    }
  }

  void onPassedOver(String reason) {
    end(last -> last.onPassedOver(reason));
  }

  void onConnectionLost(boolean refused, String reason) {
    end(last -> last.onConnectionLost(refused, reason));
  }

  private void end(Consumer<StreamHandler> news) {
    if (state == State.OPEN) {
      state = State.GONE;
      news.accept(handler); // which may take what was not sent
      unsent.release();
    }
  }

  // What the call asks for.

  /** Always 0: the number is known elsewhere alone. */
  @Override
  public int id() {
    return 0;
  }

  @Override
  public void handler(StreamHandler value) {
    handler = value;
  }

  @Override
  public long maxHeaderListBytes() {
    return maxHeaderListBytes;
  }

  @Override
  public void sendHeaders(HeaderList headers, boolean endStream) {
    if (isOpenForSending()) {
      sendEnded = endStream;
      post(elsewhere, () -> owner.stream().sendHeaders(headers, endStream));
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
    hand(elsewhere, data, copy -> owner.sendData(copy, endStream));
  }

  @Override
  public void dropPending() {
    if (isOpenForSending()) {
      post(elsewhere, owner::dropPending);
    }
  }

  @Override
  public void reset(Http2Error error) {
    if (state != State.GONE) {
      state = State.GONE;
      unsent.release();
      post(elsewhere, () -> owner.reset(error));
    }
  }

  @Override
  public void consumed(int bytes) {
    if (bytes > held) {
      throw new IllegalStateException("returns " + bytes + " bytes, holds " + held);
    }
    held -= bytes;
    if (state == State.OPEN && bytes > 0) {
      post(elsewhere, () -> owner.stream().consumed(bytes));
    }
  }

  /** What the other loop has of that is sent or dropped there: the stream must end now. */
  @Override
  public PendingData takeUnsent() {
    PendingData taken = unsent;
    sendEnded &= taken.isEmpty(); // the end was to follow it
    unsent = new PendingData();
    return taken;
  }

  /** Bytes that came and were not returned. */
  int heldBytes() {
    return held;
  }

  @Override
  public int pendingBytes() {
    return unsent.bytes();
  }

  @Override
  public boolean isOpenForSending() {
    return state == State.OPEN && !sendEnded;
  }

  @Override
  public boolean hasSentEnd() {
    return sendEnded && unsent.isEmpty();
  }

  /** What takes a buffer, and owns it. */
  interface Taker {
    void take(ByteBuf data);
  }

  /** Gives a copy of {@code data}, which this owns but not its indices, to {@code taker}. */
  static void hand(Executor loop, ByteBuf data, Taker taker) {
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
    ByteBuf handed = copy;
    try {
      loop.execute(() -> taker.take(handed));
    } catch (RejectedExecutionException stopped) { // the process ends
      handed.release();
    }
  }

  /** Runs {@code task} on another loop. */
  static void post(Executor loop, Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException stopped) {
      log.debug("an event loop has stopped: the process ends", stopped);
    }
  }
}
