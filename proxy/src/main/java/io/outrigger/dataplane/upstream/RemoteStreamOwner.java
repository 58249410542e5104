package io.outrigger.dataplane.upstream;

import io.netty.buffer.ByteBuf;
import io.outrigger.base.LoopConfined;
import io.outrigger.dataplane.forward.StreamWaiter;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.StreamHandler;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The other half of a {@link RemoteStream}, on the loop of the connection. The owner waits for a
 * stream like any call of that loop, and posts every event of the stream to the loop of the call.
 */
@LoopConfined
final class RemoteStreamOwner implements StreamWaiter {
  /** The lending loop, which has connections and lends their streams; used on the lending loop. */
  interface Lender {
    /**
     * Gives {@code waiter} a stream now or later, or notifies {@code waiter} that there will be no
     * stream.
     */
    void lend(RemoteStreamOwner waiter);

    void forget(StreamWaiter waiter);
  }

  private final RemoteStream remote;
  private final Executor loopOfCall;
  private final Lender lender;
  private @Nullable Http2Stream stream;

  RemoteStreamOwner(RemoteStream remote, Executor loopOfCall, Lender lender) {
    this.remote = remote;
    this.loopOfCall = loopOfCall;
    this.lender = lender;
  }

  /** Returns the stream; valid only after {@link #onOpened}. */
  Http2Stream stream() {
    Http2Stream opened = stream;
    if (opened == null) {
      throw new IllegalStateException("the stream was not opened");
    }
    return opened;
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
    RemoteStream.post(loopOfCall, () -> remote.deliver(StreamHandler::onOverload));
  }

  @Override
  public void onOpened(Http2Stream opened) {
    stream = opened;
    long maxHeaderListBytes = opened.maxHeaderListBytes();
    RemoteStream.post(loopOfCall, () -> remote.onOpened(maxHeaderListBytes));
  }

  @Override
  public void onNotOpened() {
    RemoteStream.post(loopOfCall, remote::onNotOpened);
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {
    RemoteStream.post(loopOfCall, () -> remote.deliver(call -> call.onHeaders(headers, endStream)));
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    RemoteStream.postCopy(loopOfCall, data, copy -> remote.onData(copy, endStream));
  }

  @Override
  public void onDataSent(int bytes) {
    RemoteStream.post(loopOfCall, () -> remote.onDataSent(bytes));
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
    RemoteStream.post(loopOfCall, () -> remote.deliverLast(event));
  }
}
