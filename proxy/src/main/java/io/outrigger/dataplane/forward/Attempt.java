package io.outrigger.dataplane.forward;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.orca.OrcaReports;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.http2.KnownName;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.Subchannel;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call: a pick, and the backend stream opened for this pick. Each pick is followed
 * by exactly one {@link Subchannel#callEnded}, so load balancing counts each attempt (A50, A32-04).
 *
 * <pre>
 * WAITING -> OPEN   on stream opened
 * WAITING -> ENDED  on not opened: NOT_SENT; on the call's end
 * OPEN    -> ENDED  on end of the response, reset, loss or cancellation
 * </pre>
 *
 * <p>An attempt handles the events of the backend's stream. The response goes through a {@link
 * ResponseRelay}; all other events go to the call, which decides what the app receives.
 */
@LoopConfined
final class Attempt implements CallTransport.Waiter {
  private enum State {
    WAITING,
    OPEN,
    ENDED
  }

  private final CallAttempts attempts;
  private final ForwardedCall call;
  private final Subchannel subchannel;
  private final EndpointAddress address;
  final ResponseRelay response;
  private State state = State.WAITING;

  /** Whether the connection ends because this proxy is short of memory. */
  private boolean isOverload;

  private @Nullable CallTransport transport;
  private @Nullable Http2Stream stream;

  /**
   * Holds back response headers with {@code grpc-status} but without END_STREAM until the next
   * frame, because the hyper library ends a Trailers-Only response with an empty DATA frame.
   */
  private @Nullable HeaderList early;

  Attempt(CallAttempts attempts, ForwardedCall call, Subchannel subchannel) {
    this.attempts = attempts;
    this.call = call;
    this.subchannel = subchannel;
    address = subchannel.address();
    response = new ResponseRelay(call, address);
  }

  /**
   * Requests a stream. The stream may open, and the call may even end, before this method returns.
   *
   * @return false if the subchannel has no transport that accepts streams; the attempt has then
   *     ended
   */
  boolean start() {
    if (subchannel.transport() instanceof CallTransport live) {
      transport = live;
      if (live.open(attempts.loop(), this)) {
        return true;
      }
    }
    end(CallOutcome.NOT_SENT);
    return false;
  }

  String resolutionNote() {
    return subchannel.note().note();
  }

  String address() {
    return address.toString();
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
    attempts.onStreamOpen();
  }

  /** Sends the request on the open stream; ends the call if the backend does not accept it. */
  void send(HostRewrite rewrite, long timeoutNanos) {
    Http2Stream backend = requireNonNull(stream);
    String rewritten = HostRewrite.authority(rewrite, subchannel.backend().endpoint().hostname());
    long tooLarge =
        HopByHopHeaders.send(
            backend,
            call.request.endsWithHead(),
            call.head(),
            call.forward.authorityFor(call.head(), call.target(), rewritten),
            address.tls().isPresent(),
            timeoutNanos,
            attempts.previousAttempts(),
            call.record.spans().context());
    if (tooLarge == 0) {
      refuse("trailer list", call.request.open(backend));
    } else {
      refuse("header list", tooLarge);
    }
  }

  /**
   * Ends the call if the request's headers or trailers are larger than the backend accepts. If they
   * were sent, the backend might end the whole connection.
   *
   * @param tooLarge the size of the headers or trailers if they are too large; otherwise 0
   */
  void refuse(String list, long tooLarge) {
    if (tooLarge > 0 && state == State.OPEN && stream != null && !response.hasEnded()) {
      long limit = stream.maxHeaderListBytes();
      call.reply(
          CallFailures.beyondPeersLimit("the request's " + list, tooLarge, address(), limit),
          LocalReason.HEADERS_TOO_LARGE);
    }
  }

  @Override
  public void onNotOpened() {
    if (state == State.WAITING) {
      end(CallOutcome.NOT_SENT);
      attempts.onNotSent();
    }
  }

  /** Returns flow-control credit to the backend for response bytes that were sent to the app. */
  void returnCredit(int bytes) {
    if (state == State.OPEN && stream != null) {
      stream.consumed(bytes);
    }
  }

  /**
   * Ends the attempt, because the call has ended. Resets the backend's stream if the request or the
   * response is incomplete.
   */
  void finish() {
    if (state == State.WAITING && transport != null) {
      transport.forget(attempts.loop(), this);
      // A50-12: a deadline or a cancellation by the app counts as a failure
      endUnlessBeyondLimits(CallOutcome.FAILURE);
    } else if (state == State.OPEN && stream != null) {
      if (!response.hasEnded() || !stream.hasSentEnd()) {
        stream.reset(Http2Error.CANCEL);
      }
      endUnlessBeyondLimits(response.outcome());
    }
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

  /** Relays the headers that were held back, with END_STREAM if they are the whole response. */
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
      if (!begun && attempts.mayRetry() && retries(headers, endStream)) {
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

  /** Passes the backend's load report to the LB policy; the app gets the report, too (A58-05). */
  private void reportLoad(HeaderList last) {
    if (!subchannel.wantsBackendMetrics()) {
      return;
    }
    AsciiString report = last.get(OrcaReports.TRAILER);
    if (report != null) {
      OrcaReports.ofTrailer(report).ifPresent(load -> subchannel.onBackendMetrics(attempts, load));
    }
  }

  /** Retries the request if the retry policy allows it; returns false otherwise (A44-06). */
  private boolean retries(HeaderList headers, boolean endStream) {
    RpcStatus.Code failure = ResponseRelay.failureOf(headers, endStream);
    if (failure == null) {
      return false;
    }
    long delay = attempts.retryDelay(failure, headers.get(KnownName.RETRY_PUSHBACK));
    if (delay == RetryState.NO_RETRY) {
      return false;
    }
    Http2Stream failed = stream;
    if (failed != null) {
      call.request.close(failed.takeUnsent());
      if (!endStream || !failed.hasSentEnd()) {
        failed.reset(Http2Error.CANCEL);
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
      data.release(); // the attempt ended while this data was in flight
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
  public void onReset(Http2Error error) {
    Refusal refusal = error == Http2Error.REFUSED_STREAM ? Refusal.OF_CALL : Refusal.NONE;
    // With NO_ERROR, the app would treat the response as complete. With REFUSED_STREAM, the app
    // could repeat the call, although a backend may have processed an earlier attempt.
    boolean isFirst = attempts.previousAttempts() == 0;
    boolean isRelayed = error != Http2Error.NO_ERROR && (refusal == Refusal.NONE || isFirst);
    fail(refusal, isRelayed ? error : null, CallFailures.ofReset(error, address()));
  }

  @Override
  public void onFault(Http2Error error, String reason) {
    fail(Refusal.NONE, null, CallFailures.ofFault(error, reason, address()));
  }

  @Override
  public void onConnectionLost(Refusal refusal, String reason) {
    if (isOverload && refusal == Refusal.NONE && state == State.OPEN && !response.hasEnded()) {
      call.onOverload();
    } else {
      fail(refusal, null, CallFailures.ofLoss(reason, address()));
    }
  }

  private void fail(Refusal refusal, @Nullable Http2Error error, RpcStatus failure) {
    if (state == State.OPEN && stream != null) {
      end(isOverload && !response.hasEnded() ? CallOutcome.NOT_SENT : response.outcome());
      call.request.close(stream.takeUnsent());
      attempts.onUpstreamFailed(this, refusal, error, failure);
    }
  }

  /** Called just before {@link #onConnectionLost}, which retries a request that was not sent. */
  @Override
  public void onOverload() {
    isOverload = true;
  }

  /** Ends the attempt; the outcome is {@code NOT_SENT} if a limit of this proxy caused the end. */
  private void endUnlessBeyondLimits(CallOutcome outcome) {
    end(call.record.isBeyondLimits() ? CallOutcome.NOT_SENT : outcome);
  }

  private void end(CallOutcome outcome) {
    state = State.ENDED;
    subchannel.callEnded(attempts, outcome);
  }
}
