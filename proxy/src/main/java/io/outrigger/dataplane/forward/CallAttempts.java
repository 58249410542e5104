package io.outrigger.dataplane.forward;

import static java.util.Objects.requireNonNull;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.rbac.AuthorizationInput;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.calls.CallCounter;
import io.outrigger.dataplane.calls.CallStatsRecorder;
import io.outrigger.dataplane.filter.FilteredCall;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.http2.HeaderList;
import io.outrigger.http2.Http2Error;
import io.outrigger.http2.StreamHandler.Refusal;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Picker;
import io.outrigger.lb.SessionHint;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes the attempts of one call in the cluster that routing chose (A31-04). Picks a subchannel,
 * repeatedly if necessary, until a stream to a backend is open. Picks again when the backend
 * refused the request or the route's retry policy allows a retry (A6, A44).
 *
 * <pre>
 * IDLE        -> PICKING      on begin
 * PICKING     -> OPENING      on Use; on Queue the call is parked on the cluster
 * PICKING     -> BACKING_OFF  on Fail that the policy retries
 * OPENING     -> PICKING      on no stream available: nothing was sent
 * OPENING     -> STREAMING    on stream opened: headers and buffered body are sent
 * STREAMING   -> PICKING      on stream refused, no data lost: once, or when the connection closed
 * STREAMING   -> BACKING_OFF  on failure that the policy retries, before a response has begun
 * BACKING_OFF -> PICKING      on end of the back-off
 * any         -> OVER         on the call's end
 * </pre>
 *
 * <p>The call holds a reference to its cluster from routing until its last pick (A31-08).
 */
@LoopConfined
final class CallAttempts implements PickContext, FilteredCall {
  /**
   * The maximum number of transparent retries of a call whose connections close before they process
   * the request ({@link Refusal#OF_CONNECTION}, decision proxy-0033).
   */
  static final int MAX_TRANSPARENT_RETRIES = 64;

  /** The delay type that A121 "Channel Behavior for LB Pick Delays" defines. */
  private static final String STATE_MISMATCH = "subchannel_state_mismatch";

  private static final String CONNECTION_GONE =
      "the picked connection closed before the call could use it";

  enum Phase {
    /** The call has no cluster yet, or a filter delays the call. */
    IDLE,
    /** The call waits for a pick. */
    PICKING,
    /** The call has a subchannel and waits for a stream on its connection. */
    OPENING,
    /** The call has a stream to the backend. */
    STREAMING,
    /** The call waits before its next attempt, as the retry policy requires (A6). */
    BACKING_OFF,
    OVER;

    /** Returns the given phase; throws if the given phase must not follow this phase. */
    Phase to(Phase next) {
      boolean isAllowed =
          switch (this) {
            case IDLE, BACKING_OFF -> next == PICKING || next == OVER;
            case PICKING -> next == OPENING || next == BACKING_OFF || next == OVER;
            case OPENING -> next == PICKING || next == STREAMING || next == OVER;
            case STREAMING -> next == PICKING || next == BACKING_OFF || next == OVER;
            case OVER -> false;
          };
      if (!isAllowed) {
        throw new IllegalStateException("the attempts of a call went from " + this + " to " + next);
      }
      return next;
    }
  }

  private final ForwardedCall call;
  private final CallTime time;
  private final CallStatsRecorder record;
  private final RequestRelay request;
  private Phase phase = Phase.IDLE;
  private RouteDecision.@Nullable Forward decision;
  private @Nullable ClusterHandle cluster;
  private boolean holdsCluster;
  private @Nullable SessionHint session;

  /** The request hash; null until a load-balancing policy reads it (A42). */
  private @Nullable Long hash;

  private @Nullable Picker lastPicker;
  private @Nullable RpcStatus lastFailure;
  private @Nullable Attempt attempt;

  private byte transparentRetries;

  /** Whether the current attempt had to wait for a pick or a stream. */
  private boolean waited;

  /** The call's progress through the retry policy; null when the route has no retry policy. */
  private @Nullable RetryState retries;

  CallAttempts(ForwardedCall call, CallTime time, CallStatsRecorder record, RequestRelay request) {
    this.call = call;
    this.time = time;
    this.record = record;
    this.request = request;
  }

  /**
   * Sets the routing decision, and becomes the owner of the decision's cluster reference. All
   * attempts go to the decision's cluster (A31-04), unless a filter changes the cluster before the
   * first attempt.
   */
  void route(RouteDecision.Forward chosen) {
    decision = chosen;
    cluster = chosen.cluster();
    holdsCluster = true;
    time.limit(chosen.limit().forRequest(time.limitNanos()));
    record.routed(chosen, cluster());
    var action = chosen.action();
    if (action.retry().isPresent() && call.isGrpc()) { // SC-28
      retries = new RetryState(action.retry().get(), random());
    }
    if (retries == null && call.forward.memory.isShort()) { // no copy only for transparent retries
      request.stopCopying();
    }
  }

  RouteDecision.Forward decision() {
    return requireNonNull(decision);
  }

  // Methods for filters.

  @Override
  public RequestView request() {
    return call.head();
  }

  @Override
  public RandomSource random() {
    return call.loop.random;
  }

  @Override
  public AuthorizationInput authorization() {
    if (call.caller instanceof Caller.Remote remote) {
      return new CallAuthorization(call.head(), remote.connection());
    }
    throw new IllegalStateException("RBAC in a forward");
  }

  @Override
  public void decided(Rbac.Decision decision) {
    if (!decision.isAllowed() || decision.policy().isPresent()) {
      record.policy(decision.policy().orElse(null));
    }
  }

  @Override
  public String cluster() {
    return requireNonNull(cluster).name();
  }

  @Override
  public Set<String> clusters() {
    return decision().clusters().keySet();
  }

  @Override
  public void changeCluster(String name) {
    cluster = decision().change(requireNonNull(cluster), name);
    record.routed(decision(), cluster());
  }

  // Methods for picks.

  @Override
  public int loop() {
    return call.loop.index();
  }

  @Override
  public long hash() {
    Long computed = hash;
    if (computed == null) {
      computed = decision().route().hash(call.head(), call.forward.channelId(), random());
      hash = computed;
    }
    return computed;
  }

  @Override
  public @Nullable String header(String name) {
    return call.head().header(name);
  }

  @Override
  public @Nullable SessionHint session() {
    return session;
  }

  @Override
  public void session(SessionHint hint) {
    session = hint;
  }

  boolean isRouted() {
    return cluster != null;
  }

  /**
   * Returns the resolution note (A88) for failures of this call: during an attempt the note of the
   * attempt's leaf cluster, otherwise the note of the routed cluster. Empty before routing.
   */
  String resolutionNote() {
    if (attempt != null && (phase == Phase.OPENING || phase == Phase.STREAMING)) {
      return attempt.resolutionNote();
    }
    return cluster == null ? "" : cluster.note();
  }

  /** Begins the first attempt, or an attempt that the retry policy counts as a retry. */
  void begin() {
    beginAttempt(false);
    pick();
  }

  private void beginAttempt(boolean transparent) {
    to(Phase.PICKING);
    waited = false;
    record.attemptBegins(previousAttempts(), transparent, time.elapsedNanos());
  }

  int previousAttempts() {
    return retries == null ? 0 : retries.previousAttempts();
  }

  void resume() {
    if (phase == Phase.PICKING) {
      pick();
    }
  }

  /**
   * Picks until the call has a stream, has to wait, or is answered. Each repetition needs a newly
   * published picker, so the repetitions end.
   */
  private void pick() {
    ClusterHandle routed = requireNonNull(cluster);
    String delayType;
    String reason;
    do {
      Picker picker = routed.picker();
      lastPicker = picker;
      PickResult result = picker.pick(this);
      if (result instanceof PickResult.Use use) {
        if (open(use.subchannel())) {
          return;
        }
        delayType = STATE_MISMATCH;
        reason = CONNECTION_GONE;
      } else if (result instanceof PickResult.Fail fail) {
        if (!call.head().waitsForReady()) {
          if (fail.isOfConfig() || !retry(fail.status())) {
            call.reply(
                fail.status(),
                fail.isOfConfig() ? LocalReason.XDS_ERROR : call.caller.unreachable());
          }
          return;
        }
        lastFailure = fail.status();
        delayType = "picker_failing_with_wait_for_ready";
        reason = fail.status().message();
      } else if (result instanceof PickResult.Drop drop) { // SC-21: even if wait-for-ready
        call.reply(drop.status(), LocalReason.of(drop.reason()));
        return;
      } else {
        var queue = (PickResult.Queue) result;
        delayType = queue.delayType();
        reason = queue.reason();
      }
    } while (!parkForPick(delayType, reason));
  }

  /**
   * Parks the call until a newer picker is published, or answers the call if the queue is full.
   * Returns false when a newer picker is already published; the caller must then pick again.
   */
  private boolean parkForPick(String delayType, String reason) {
    if (!call.reserve()) {
      return true;
    }
    ClusterHandle routed = requireNonNull(cluster);
    Picker seen = requireNonNull(lastPicker);
    if (!call.waiting().parkOn(parked -> routed.park(parked, seen), routed::unpark)) {
      return false;
    }
    waited = true;
    record.attemptDelayed(delayType, reason, time.elapsedNanos());
    return true;
  }

  /**
   * Opens a stream to the picked subchannel. Returns false if the subchannel has lost its
   * transport. Load balancing publishes a newer picker whenever a subchannel has lost its
   * transport.
   */
  private boolean open(Subchannel subchannel) {
    to(Phase.OPENING);
    var next = new Attempt(this, call, subchannel);
    attempt = next;
    record.attempt(subchannel);
    if (!next.start()) {
      to(Phase.PICKING);
      return false;
    }
    if (next.isWaiting()) { // waits for a stream, which is not a pick delay (A121)
      record.delayOver(time.elapsedNanos());
      waited = true;
      call.reserve(); // answers the call if the queue is full
    }
    return true;
  }

  // Events that the attempt reports.

  /** Called when the attempt ended before anything was sent to the backend. */
  void onNotSent() {
    to(Phase.PICKING);
    if (!parkForPick(STATE_MISMATCH, CONNECTION_GONE)) {
      pick();
    }
  }

  void onStreamOpen() {
    if (time.isOver()) {
      call.onDeadline();
      return;
    }
    to(Phase.STREAMING);
    call.stopWaiting();
    if (waited) {
      record.delayOver(time.elapsedNanos());
      record.spans().pickDelayed();
    }
    long timeoutNanos = call.isGrpc() ? time.remainingNanos() : EffectiveTimeout.NONE;
    requireNonNull(attempt).send(decision().action().hostRewrite(), timeoutNanos);
  }

  void onRequestSent(int bytes) {
    boolean couldReplay = request.canReplay();
    request.onSent(bytes);
    if (couldReplay && !request.canReplay()) {
      if (retries != null) {
        record.count(CallCounter.NOT_REPLAYABLE);
      }
      releaseCluster(); // too much was sent for a retry: no pick can follow (A31-08)
    }
  }

  /** Commits the call when a response begins, so that no further pick can happen (A6, A31-08). */
  void onResponseStarted() {
    request.commit();
    releaseCluster();
  }

  boolean mayRetry() {
    return retries != null && request.canReplay() && !time.isOver();
  }

  /**
   * Computes the back-off after a backend has answered with a failure.
   *
   * @param pushback the backend's {@code grpc-retry-pushback-ms}; null when absent
   * @return the back-off in nanoseconds, or {@link RetryState#NO_RETRY} to answer the app
   */
  long retryDelay(RpcStatus.Code code, @Nullable AsciiString pushback) {
    return mayRetry() && retries != null
        ? retries.afterFailure(code, pushback)
        : RetryState.NO_RETRY;
  }

  void retryAfter(long nanos, RpcStatus failure) {
    to(Phase.BACKING_OFF);
    lastFailure = failure;
    record.retried(failure, false, time.elapsedNanos());
    call.waiting().pause(nanos, this::begin);
  }

  private boolean retry(RpcStatus failure) {
    long delay = retryDelay(failure.code(), null);
    if (delay != RetryState.NO_RETRY) {
      retryAfter(delay, failure);
    }
    return delay != RetryState.NO_RETRY;
  }

  /**
   * Called when the backend's stream ended before the response was complete.
   *
   * @param refusal whether the backend guarantees that it did not process the request
   * @param error the code with which to reset a response that has begun; null to end the response
   *     with trailers
   */
  void onUpstreamFailed(
      Attempt ended, Refusal refusal, @Nullable Http2Error error, RpcStatus failure) {
    int allowed =
        switch (refusal) {
          case NONE -> 0;
          case OF_CALL -> 1;
          case OF_CONNECTION -> MAX_TRANSPARENT_RETRIES;
        };
    if (transparentRetries < allowed && request.canReplay() && !ended.response.hasBegun()) {
      retryTransparently(failure);
    } else if (ended.response.hasBegun() || !retry(failure)) {
      call.onUpstreamFailed(ended.response, error, failure);
    }
  }

  /**
   * Sends a refused request again, with all of its data (SC-34). The new pick runs in a later task,
   * because the connection that refused the request may not yet be marked as closing. The retry
   * policy does not count a transparent retry.
   */
  private void retryTransparently(RpcStatus failure) {
    transparentRetries++;
    record.retried(failure, true, time.elapsedNanos());
    beginAttempt(true);
    call.loop.execute(this::resume);
  }

  void onTrailers(HeaderList trailers) {
    long tooLarge = request.onTrailers(trailers, call.isGrpc());
    if (attempt != null) {
      attempt.refuse("trailer list", tooLarge);
    }
  }

  void returnCredit(int bytes) {
    if (attempt != null) {
      attempt.returnCredit(bytes);
    }
  }

  boolean hasResponseEnded() {
    return attempt != null && attempt.response.hasEnded();
  }

  String waitsFor() {
    ClusterHandle routed = requireNonNull(cluster);
    if (phase == Phase.BACKING_OFF) {
      return CallFailures.nextAttempt(routed, requireNonNull(lastFailure));
    }
    boolean isSent = phase == Phase.STREAMING; // even if the stream was just reset
    if (attempt != null && (attempt.isOpen() || isSent)) {
      return CallFailures.response(routed, attempt.address());
    }
    return attempt != null && attempt.isWaiting()
        ? CallFailures.stream(routed, attempt.address())
        : CallFailures.connection(routed, lastFailure);
  }

  void finish() {
    to(Phase.OVER);
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

  private void to(Phase next) {
    phase = phase.to(next);
  }
}
