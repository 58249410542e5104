package io.outrigger.dataplane.forward;

import static java.util.Objects.requireNonNull;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RouteAction;
import io.outrigger.dataplane.calls.LocalReason;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.http2.HeaderField;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.Http2Stream;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.SessionHint;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.tree.ClusterHandle;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one call in the cluster that routing chose (A31-04): picks until a stream to a
 * backend is open, and again when that backend refused it or the route's policy says so (A6, A44).
 *
 * <pre>
 * IDLE        -> PICKING      on begin
 * PICKING     -> OPENING      on Use; on Queue it is parked on the cluster
 * PICKING     -> BACKING_OFF  on Fail that the policy retries
 * OPENING     -> PICKING      on no stream to be had: nothing was sent
 * OPENING     -> STREAMING    on stream opened: head and held body go out
 * STREAMING   -> PICKING      on stream refused with nothing lost; once, or as its connection ended
 * STREAMING   -> BACKING_OFF  on failure that the policy retries, before a response has begun
 * BACKING_OFF -> PICKING      on end of the back-off
 * any         -> OVER         on the call's end
 * </pre>
 *
 * <p>The cluster is held from routing until no further pick can follow (A31-08).
 */
@LoopConfined
final class CallAttempts {
  /** How often connections may end before they come to a request (decision proxy-0033). */
  static final int MAX_TRANSPARENT_RETRIES = 64;

  /** A121 "Channel Behavior for LB Pick Delays". */
  private static final String STATE_MISMATCH = "subchannel_state_mismatch";

  private static final String CONNECTION_GONE =
      "the connection that was picked went before the call could use it";

  private final ForwardedCall call;
  private AttemptPhase phase = AttemptPhase.IDLE;
  private RouteDecision.@Nullable Forward decision;
  private @Nullable ClusterHandle cluster;
  private boolean holdsCluster;
  private @Nullable SessionHint session;
  private @Nullable Picker seen;
  private @Nullable RpcStatus lastFailure;
  private @Nullable Attempt attempt;

  /** How often the request was sent again since it had been refused. */
  private byte transparentRetries;

  /** Whether this attempt had to wait for a pick or a stream. */
  private boolean waited;

  /** Null without a policy: then the request is kept only in case it is refused. */
  private @Nullable RetryState retries;

  private @Nullable CallPause backoff;

  CallAttempts(ForwardedCall call) {
    this.call = call;
  }

  /**
   * All attempts go to one cluster as {@code chosen} says, which has acquired it (A31-04): unless a
   * filter changes it before the first of them.
   */
  void route(RouteDecision.Forward chosen) {
    decision = chosen;
    cluster = chosen.cluster();
    holdsCluster = true;
    call.limit(chosen.limit().forRequest(call.limitNanos()));
    call.record.routed(chosen, clusterName(), call.limitNanos());
    RouteAction.Forward action = chosen.action();
    if (action.retry().isPresent() && call.isGrpc()) { // SC-28
      retries = new RetryState(action.retry().get(), call.loop.random());
      call.request.keepForReplay(
          ReplayBuffer.forPolicy(call.loop.copies(), call.forward.replays()));
    } else if (!call.forward.isMemoryShort()) {
      call.request.keepForReplay(ReplayBuffer.forRefusal(call.loop.copies()));
    }
  }

  /** What routing decided; call it after that. */
  RouteDecision.Forward decision() {
    return requireNonNull(decision);
  }

  /** See {@link RouteDecision.Forward#change}. */
  void changeCluster(String name) {
    cluster = decision().change(requireNonNull(cluster), name);
    call.record.routed(decision(), clusterName(), call.limitNanos());
  }

  /** What picks are told of the call's session; null when its route keeps none. */
  @Nullable SessionHint session() {
    return session;
  }

  void session(SessionHint hint) {
    session = hint;
  }

  /** The name of {@link #cluster}; call it after that was chosen. */
  String clusterName() {
    return requireNonNull(cluster).name();
  }

  /** The cluster that routing chose; null before that. */
  @Nullable ClusterHandle cluster() {
    return cluster;
  }

  /**
   * What failures of this call say besides (A88): of an aggregate, the note of the leaf that it is
   * in. Empty before a cluster was chosen.
   */
  String resolutionNote() {
    if (attempt != null && (phase == AttemptPhase.OPENING || phase == AttemptPhase.STREAMING)) {
      return attempt.resolutionNote();
    }
    return cluster == null ? "" : cluster.note();
  }

  void begin() {
    beginAttempt(false);
    pick();
  }

  private void beginAttempt(boolean transparent) {
    to(AttemptPhase.PICKING);
    waited = false;
    call.record.attemptBegins(previousAttempts(), transparent, call.elapsedNanos());
  }

  private int previousAttempts() {
    return retries == null ? 0 : retries.previousAttempts();
  }

  /** Goes on after a wait. */
  void resume() {
    if (phase == AttemptPhase.PICKING) {
      pick();
    }
  }

  /** Picks until the call is on its way, waits, or is answered. Ends: it waits for publishes. */
  private void pick() {
    ClusterHandle from = requireNonNull(cluster);
    String delayType;
    String reason;
    do {
      Picker picker = from.picker();
      seen = picker;
      PickResult result = picker.pick(call);
      if (result instanceof PickResult.Use use) {
        if (open(use.subchannel())) {
          return;
        }
        delayType = STATE_MISMATCH;
        reason = CONNECTION_GONE;
      } else if (result instanceof PickResult.Fail fail) {
        if (!call.head().waitsForReady()) {
          if (!retry(fail.status())) {
            call.reply(fail.status(), LocalReason.NO_HEALTHY_UPSTREAM);
          }
          return;
        }
        lastFailure = fail.status();
        delayType = "picker_failing_with_wait_for_ready";
        reason = fail.status().message();
      } else if (result instanceof PickResult.Drop drop) { // SC-21: even when it waits for ready
        call.reply(drop.status(), LocalReason.of(drop.reason()));
        return;
      } else {
        var queue = (PickResult.Queue) result;
        delayType = queue.delayType();
        reason = queue.reason();
      }
    } while (!parkForPick(delayType, reason));
  }

  /** True when the call waits, or was answered because there is no room to wait. */
  private boolean parkForPick(String delayType, String reason) {
    if (!call.reserve()) {
      return true;
    }
    if (!call.waiting().parkOn(requireNonNull(cluster), requireNonNull(seen))) {
      return false;
    }
    waited = true;
    call.record.attemptDelayed(delayType, reason, call.elapsedNanos());
    return true;
  }

  /** False when there was no transport: nothing was sent, and a newer picker comes or is there. */
  private boolean open(Subchannel subchannel) {
    to(AttemptPhase.OPENING);
    var next = new Attempt(call, this, subchannel);
    attempt = next;
    if (!next.start()) {
      to(AttemptPhase.PICKING);
      return false;
    }
    if (next.isWaiting()) { // for a stream, which is no delay of a pick (A121)
      call.record.delayOver(call.elapsedNanos());
      waited = true;
      call.reserve(); // without one it is answered: in hand either way
    }
    return true;
  }

  // What the attempt reports.

  /** Nothing was sent, and nothing will be: waits for the next picker. */
  void onNotSent() {
    to(AttemptPhase.PICKING);
    if (!parkForPick(STATE_MISMATCH, CONNECTION_GONE)) {
      pick();
    }
  }

  void onStreamOpen(Http2Stream upstream) {
    if (call.isTimeOver()) {
      call.onDeadline();
      return;
    }
    to(AttemptPhase.STREAMING);
    call.stopWaiting();
    HeaderField timeout = call.isGrpc() ? call.timeoutField() : null;
    HeaderField authority =
        call.forward.authorityFor(call.head(), call.target(), rewrittenAuthority());
    if (waited) {
      call.record.delayOver(call.elapsedNanos());
      call.record.spans().pickDelayed();
    }
    long tooLarge =
        call.loop
            .hopHeaders()
            .send(
                upstream,
                call.request.endsWithHead(),
                call.head(),
                authority,
                requireNonNull(attempt).isEncrypted(),
                timeout,
                previousAttempts(),
                call.record.spans().context());
    if (tooLarge
        > 0) { // an error of the peer's HTTP library would cost all calls of the connection
      String peer = requireNonNull(attempt).address();
      call.reply(
          CallFailures.beyondPeersLimit(
              "the request's header list", tooLarge, peer, upstream.maxHeaderListBytes()),
          LocalReason.HEADERS_TOO_LARGE);
      return;
    }
    call.request.open(upstream);
  }

  /** What the route makes of the authority (A81, A111); empty when nothing. */
  private String rewrittenAuthority() {
    HostRewrite rewrite = decision().action().hostRewrite();
    if (rewrite instanceof HostRewrite.Literal literal) {
      return literal.authority();
    }
    return rewrite instanceof HostRewrite.OfEndpoint && attempt != null ? attempt.hostname() : "";
  }

  /** Bytes of the request have left for the backend. */
  void onRequestSent(int bytes) {
    call.request.onSent(bytes);
    if (!call.request.canReplay()) {
      releaseCluster(); // it has outgrown its copy: no further pick can follow (A31-08)
    }
  }

  /** A stream has ended, and another may follow: what it had not sent is sent again. */
  void takeBack(Http2Stream ended) {
    call.request.close(ended.takeUnsent());
  }

  /** The call is committed: no further pick can happen from here on (A6, A31-08). */
  void onResponseStarted() {
    call.request.commit();
    releaseCluster();
  }

  /** Whether a failure could be retried at all. */
  boolean mayRetry() {
    return retries != null && call.request.canReplay() && !call.isTimeOver();
  }

  /**
   * A backend answered with a failure before any response had begun.
   *
   * @param pushback its {@code grpc-retry-pushback-ms}; null when it sent none
   * @return how long to wait before {@link #retryAfter}; {@link RetryState#NO_RETRY} when the app
   *     is to have the answer
   */
  long retryDelay(RpcStatus.Code code, @Nullable AsciiString pushback) {
    return mayRetry() && retries != null
        ? retries.afterFailure(code, pushback)
        : RetryState.NO_RETRY;
  }

  /** The last attempt has ended; another follows. */
  void retryAfter(long nanos, RpcStatus failure) {
    to(AttemptPhase.BACKING_OFF);
    lastFailure = failure;
    call.record.retried(failure, call.elapsedNanos());
    if (backoff == null) {
      backoff = new CallPause(call.loop, this::onBackoffOver);
    }
    backoff.begin(nanos);
  }

  private boolean retry(RpcStatus failure) {
    long delay = retryDelay(failure.code(), null);
    if (delay == RetryState.NO_RETRY) {
      return false;
    }
    retryAfter(delay, failure);
    return true;
  }

  private void onBackoffOver() {
    beginAttempt(false);
    pick();
  }

  /**
   * The backend's stream ended before it had said all.
   *
   * @param refusal whether the backend promises that it did nothing with the request
   * @param relayed what an app that saw the head is told; null: trailers with {@code failure}
   */
  void onUpstreamFailed(
      Attempt ended, Refusal refusal, @Nullable Http2Error relayed, RpcStatus failure) {
    if (mayRemake(refusal) && remake(ended, failure)) {
      return;
    }
    if (ended.response().hasBegun() || !retry(failure)) {
      call.onUpstreamFailed(ended.response(), relayed, failure);
    }
  }

  private boolean mayRemake(Refusal refusal) {
    return switch (refusal) {
      case NONE -> false;
      case OF_CALL -> transparentRetries == 0;
      case OF_CONNECTION -> transparentRetries < MAX_TRANSPARENT_RETRIES; // decision proxy-0033
    };
  }

  /**
   * Gives a refused request to another backend, if nothing of it is lost (SC-34). In a task of its
   * own, since the connection that loses its streams may not know yet that it goes away. The policy
   * does not count it.
   */
  private boolean remake(Attempt refused, RpcStatus failure) {
    if (!call.request.canReplay() || refused.response().hasBegun()) {
      return false;
    }
    transparentRetries++;
    call.record.transparentRetry(failure, call.elapsedNanos());
    beginAttempt(true);
    call.loop.execute(this::resume);
    return true;
  }

  // What the call asks.

  /** Bytes of the response have gone to the app. */
  void returnCredit(int bytes) {
    if (attempt != null) {
      attempt.returnCredit(bytes);
    }
  }

  /** Whether a backend has answered in full. */
  boolean hasResponseEnded() {
    return attempt != null && attempt.response().hasEnded();
  }

  /** What it is that the call waits for now, for people. */
  String waitsFor() {
    ClusterHandle in = requireNonNull(cluster);
    if (phase == AttemptPhase.BACKING_OFF) {
      return CallFailures.nextAttempt(in, requireNonNull(lastFailure));
    }
    if (attempt != null && attempt.isOpen()) {
      return CallFailures.response(in, attempt.address());
    }
    return attempt != null && attempt.isWaiting()
        ? CallFailures.stream(in, attempt.address())
        : CallFailures.connection(in, lastFailure);
  }

  /** Ends what is open; the call is over. */
  void finish() {
    to(AttemptPhase.OVER);
    if (backoff != null) {
      backoff.cancel();
    }
    if (attempt != null) {
      attempt.finish();
    }
    releaseCluster();
  }

  private void releaseCluster() {
    if (holdsCluster && cluster != null) {
      holdsCluster = false;
      cluster.release();
    }
  }

  private void to(AttemptPhase next) {
    phase = phase.to(next);
  }
}
