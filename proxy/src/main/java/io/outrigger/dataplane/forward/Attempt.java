package io.outrigger.dataplane.forward;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.Subchannel;
import org.jspecify.annotations.Nullable;

/**
 * One pick of a call and the stream to a backend that comes of it. Counted on its own: exactly one
 * {@link Subchannel#callEnded} follows each pick, whatever happens (A50, A32-04).
 *
 * <pre>
 * WAITING -> OPEN   on stream opened
 * WAITING -> ENDED  on not opened: NOT_SENT; on the call's end
 * OPEN    -> ENDED  on end of the response, reset, loss or cancellation
 * </pre>
 *
 * <p>It hears the backend's side of the call: the response goes through its {@link ResponseRelay},
 * everything else to the call, which decides what the app gets.
 */
@LoopConfined
final class Attempt implements StreamWaiter {
  private enum State {
    WAITING,
    OPEN,
    ENDED
  }

  private final ForwardedCall call;
  private final CallAttempts attempts;
  private final Subchannel subchannel;
  private final ResponseRelay response;
  private State state = State.WAITING;
  private @Nullable CallTransport transport;
  private @Nullable Http2Stream stream;

  /**
   * A head that has the status but not END_STREAM: hyper ends such a response with an empty DATA
   * frame, and then it is a gRPC Trailers-Only response.
   */
  private @Nullable HeaderList early;

  Attempt(ForwardedCall call, CallAttempts attempts, Subchannel subchannel) {
    this.call = call;
    this.attempts = attempts;
    this.subchannel = subchannel;
    response = new ResponseRelay(call, subchannel.address());
    call.record.attempt(subchannel);
  }

  /**
   * Asks for a stream. The call may be streaming, or even done, when this returns.
   *
   * @return false when there was no transport to ask: the attempt has ended
   */
  boolean start() {
    if (subchannel.transport() instanceof CallTransport live) {
      transport = live;
      if (live.open(call.loop(), this)) {
        return true;
      }
    }
    end(CallOutcome.NOT_SENT);
    return false;
  }

  /** How discovery of that cluster fares (A88). */
  String resolutionNote() {
    return subchannel.note();
  }

  String address() {
    return subchannel.address().toString();
  }

  /** Whether the connection to the backend uses TLS. */
  boolean isEncrypted() {
    return subchannel.address().tls().isPresent();
  }

  /** The endpoint's name (A81); empty when it has none. */
  String hostname() {
    return subchannel.endpoint().hostname();
  }

  ResponseRelay response() {
    return response;
  }

  boolean isWaiting() {
    return state == State.WAITING;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  @Override
  public void onOpened(Http2Stream opened) {
    if (state != State.WAITING) {
      throw new IllegalStateException("a stream for an attempt that is " + state);
    }
    state = State.OPEN;
    stream = opened;
    attempts.onStreamOpen(opened);
  }

  @Override
  public void onNotOpened(String reason) {
    if (state == State.WAITING) {
      end(CallOutcome.NOT_SENT);
      attempts.onNotSent();
    }
  }

  /** Bytes of the response have gone to the app: the backend may send as many. */
  void returnCredit(int bytes) {
    if (state == State.OPEN && stream != null) {
      stream.consumed(bytes);
    }
  }

  /**
   * Ends the attempt from this side; nothing when it has ended. A backend that has answered but was
   * not sent all of the request is stopped: whether the app has ended it does not matter.
   */
  void finish() {
    if (state == State.WAITING && transport != null) {
      transport.forget(call.loop(), this);
      // A50-12: the deadline and the app's cancellation count as they would on a stream.
      end(unlessBeyondLimits(CallOutcome.FAILURE));
    } else if (state == State.OPEN && stream != null) {
      if (!response.hasEnded() || !stream.hasSentEnd()) {
        stream.reset(Http2Error.CANCEL);
      }
      end(unlessBeyondLimits(response.outcome()));
    }
  }

  /** A call that we end for our own limits says nothing of the backend. */
  private CallOutcome unlessBeyondLimits(CallOutcome outcome) {
    return call.record.isBeyondLimits() ? CallOutcome.NOT_SENT : outcome;
  }

  @Override
  public void onHeaders(HeaderList headers, boolean endStream) {
    boolean isEarly =
        !endStream
            && early == null
            && !response.hasBegun()
            && call.isGrpc()
            && headers.contains(KnownName.GRPC_STATUS);
    if (isEarly) {
      early = headers;
    } else {
      relayEarly(false);
      relay(headers, endStream);
    }
  }

  /** What followed the early head decides whether it was the whole response. */
  private void relayEarly(boolean whole) {
    HeaderList head = early;
    if (head != null) {
      early = null;
      relay(head, whole);
    }
  }

  private void relay(HeaderList headers, boolean endStream) {
    if (state == State.OPEN) {
      boolean begun = response.hasBegun();
      if (!begun && attempts.mayRetry() && isKeptBack(headers, endStream)) {
        return;
      }
      response.onHeaders(headers, endStream);
      if (!begun && response.hasBegun()) {
        attempts.onResponseStarted();
      }
      if (response.hasEnded()) {
        reportLoad(headers);
        call.onResponseEnd();
      }
    }
  }

  /** What the backend says of its load, which goes to the app as well as to balancing (A58-05). */
  private void reportLoad(HeaderList last) {
    if (!subchannel.wantsBackendMetrics()) {
      return;
    }
    AsciiString report = last.get(OrcaReports.TRAILER);
    if (report != null) {
      OrcaReports.ofTrailer(report).ifPresent(load -> subchannel.onBackendMetrics(call, load));
    }
  }

  /** Whether this answer is a failure after which the request is sent again (A44-06). */
  private boolean isKeptBack(HeaderList headers, boolean endStream) {
    RpcStatus.Code failure = ResponseRelay.failureOf(headers, endStream);
    if (failure == null) {
      return false;
    }
    long delay = attempts.retryDelay(failure, headers.get(KnownName.RETRY_PUSHBACK));
    if (delay == RetryState.NO_RETRY) {
      return false;
    }
    Http2Stream from = stream;
    if (from != null) {
      attempts.takeBack(from);
      if (!endStream || !from.hasSentEnd()) {
        from.reset(Http2Error.CANCEL);
      }
    }
    reportLoad(headers);
    end(CallOutcome.FAILURE);
    attempts.retryAfter(delay, CallFailures.ofAnswer(failure, address()));
    return true;
  }

  @Override
  public void onData(ByteBuf data, boolean endStream) {
    if (early != null) {
      boolean whole = endStream && !data.isReadable();
      relayEarly(whole);
      if (whole) {
        data.release();
        return;
      }
    }
    if (state != State.OPEN) {
      data.release(); // the attempt was given up while this was on its way
      return;
    }
    response.onData(data, endStream);
    if (response.hasEnded()) {
      call.onResponseEnd();
    }
  }

  @Override
  public void onDataSent(int bytes) {
    if (state == State.OPEN) {
      attempts.onRequestSent(bytes);
    }
  }

  @Override
  public void onReset(Http2Error error, boolean byPeer) {
    if (state == State.OPEN) {
      end(response.outcome());
      takeBack();
      RpcStatus failure = CallFailures.ofReset(error, address());
      Refusal refusal = error == Http2Error.REFUSED_STREAM ? Refusal.OF_CALL : Refusal.NONE;
      // NO_ERROR in the middle of a response would let apps take the part for the whole.
      boolean isRelayed = byPeer && error != Http2Error.NO_ERROR;
      attempts.onUpstreamFailed(this, refusal, isRelayed ? error : null, failure);
    }
  }

  @Override
  public void onFault(Http2Error error, String reason) {
    if (state == State.OPEN) {
      end(response.outcome());
      takeBack();
      RpcStatus failure = CallFailures.ofFault(error, reason, address());
      attempts.onUpstreamFailed(this, Refusal.NONE, null, failure);
    }
  }

  @Override
  public void onPassedOver(String reason) {
    lose(Refusal.OF_CONNECTION, reason);
  }

  @Override
  public void onConnectionLost(boolean refused, String reason) {
    lose(refused ? Refusal.OF_CALL : Refusal.NONE, reason);
  }

  private void lose(Refusal refusal, String reason) {
    if (state == State.OPEN) {
      end(response.outcome());
      takeBack();
      attempts.onUpstreamFailed(this, refusal, null, CallFailures.ofLoss(reason, address()));
    }
  }

  private void takeBack() {
    if (stream != null) {
      attempts.takeBack(stream);
    }
  }

  @Override
  public void onOverload() {
    if (state == State.OPEN) {
      call.onOverload();
    }
  }

  private void end(CallOutcome outcome) {
    state = State.ENDED;
    subchannel.callEnded(call, outcome);
  }
}
