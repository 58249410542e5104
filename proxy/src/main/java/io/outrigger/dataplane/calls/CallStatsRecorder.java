package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Records one call for the counters, spans and observers. A gRPC call and its attempts are measured
 * as A66 and A96 specify, one attempt at a time. An attempt lasts from the start of its pick until
 * its status, whether or not a backend was found. Times are in nanoseconds since the call's
 * arrival.
 */
@LoopConfined
public final class CallStatsRecorder implements CallSummary {
  private static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");

  private static final long NONE = -1;

  private final CallStats stats;
  private @Nullable CallRequest head;

  /** The method's statistics; null before the call starts, and for a request that is not gRPC. */
  private @Nullable MethodStats method;

  private CallSpans spans = CallSpans.NONE;

  private RpcStatus.Code code = RpcStatus.Code.OK;
  private String message = "";
  private int httpStatus;
  private @Nullable LocalReason reason;
  private RouteDecision.@Nullable Forward chosen;
  private @Nullable String clusterName;

  private @Nullable PeerIdentity peer;
  private @Nullable String policy;
  private @Nullable Subchannel picked;
  private int attempts;
  private boolean cancelled;
  private long requestBytes;
  private long responseBytes;
  private long durationNanos;
  private long timeoutNanos = EffectiveTimeout.NONE;

  /** The cluster that routing chose, or the leaf cluster of the current attempt's backend. */
  private @Nullable String attemptCluster;

  private @Nullable Locality locality;

  /** The start of the current attempt; {@link #NONE} when no attempt is in progress. */
  private long begun = NONE;

  private long sent;
  private long received;
  private long sentPrefixes;
  private long receivedPrefixes;

  /** The waits and later attempts; created on demand, because most calls have neither. */
  private @Nullable Detours detours;

  /** The waits of a call, and its attempts after the first attempt. */
  private static final class Detours {
    /** The type of the current delay (A121); null when the call does not wait. */
    @Nullable String delayType;

    String delayReason = "";
    boolean delaysAttempt;
    long delayed;

    int retries;
    int transparentRetries;
    long lastEnd;
    long withoutAttempt;
  }

  /**
   * @param stats the statistics of the call's event loop
   */
  public CallStatsRecorder(CallStats stats) {
    this.stats = stats;
  }

  public void started(CallRequest request, CallTracer tracer) {
    head = request;
    stats.count(CallCounter.STARTED);
    if (request.isGrpc()) {
      method = stats.method(request);
      spans = tracer.begin(request);
      if (method.isServer()) {
        method.attemptStarted();
      }
    }
  }

  /** The spans of the call, which are notified while the call is in progress. */
  public CallSpans spans() {
    return spans;
  }

  public void peer(PeerIdentity caller) {
    peer = caller;
  }

  /**
   * Sets the RBAC policy that decided about the call.
   *
   * @param name the policy; null when the call was denied because no policy matched
   */
  public void policy(@Nullable String name) {
    policy = name;
  }

  /**
   * Sets the routing decision and the resulting time limit of the call.
   *
   * @param usedCluster the cluster of the decision, or of the call's session
   */
  public void routed(RouteDecision.Forward decision, String usedCluster, long limitNanos) {
    chosen = decision;
    clusterName = usedCluster;
    timeoutNanos = limitNanos;
  }

  /**
   * Called when the pick has returned a backend, which in an aggregate cluster belongs to a leaf
   * cluster (A89).
   */
  public void attempt(Subchannel latest) {
    picked = latest;
    attempts++;
    if (method != null) {
      String leaf = latest.note().cluster();
      attemptCluster = leaf.isEmpty() ? attemptCluster : leaf;
      if (method.hasLocalities()) {
        locality = latest.backend().locality();
      }
    }
  }

  /**
   * Called when the pick for a new attempt begins.
   *
   * @param previous the number of previous attempts that the retry policy counts
   * @param transparent whether this is a transparent retry of a refused attempt
   */
  public void attemptBegins(int previous, boolean transparent, long now) {
    if (method == null) {
      return;
    }
    spans.attemptBegins(previous, transparent);
    if (!method.isServer()) {
      method.attemptStarted();
    }
    attemptCluster = clusterName;
    locality = null;
    begun = now;
    if (isRetried()) {
      detours().withoutAttempt += now - detours().lastEnd;
      sent = 0;
      received = 0;
      sentPrefixes = 0;
      receivedPrefixes = 0;
    }
  }

  /** The call waits for its configuration (A121 "Resolver Delays"). */
  public void callDelayed(String why, long now) {
    delayed(false, "resolving", why, now);
  }

  /** The attempt waits for a connection (A121 "LB Pick Delays"). */
  public void attemptDelayed(String type, String why, long now) {
    delayed(true, type, why, now);
  }

  /** Ends the current delay; returns false when the call is not delayed. */
  public boolean delayOver(long now) {
    boolean isOver = delayEnded(now);
    if (isOver) {
      spans.delayEnds();
    }
    return isOver;
  }

  /**
   * The request is sent again after a failed attempt.
   *
   * @param transparent whether the attempt was refused, so that the retry policy does not count it
   */
  public void retried(RpcStatus failure, boolean transparent, long now) {
    stats.count(transparent ? CallCounter.TRANSPARENT_RETRIES : CallCounter.RETRIED);
    if (method == null) {
      return;
    }
    Detours more = detours();
    if (transparent) {
      more.transparentRetries++;
    } else {
      more.retries++;
    }
    more.lastEnd = now;
    attemptEnded(method, failure.code(), now);
    spans.attemptFailed(failure);
  }

  /** Counts body bytes sent to the backend. The caller keeps ownership of {@code data}. */
  public void outbound(ByteBuf data) {
    if (method != null) {
      sent += data.readableBytes();
      sentPrefixes = MessagePrefixes.read(sentPrefixes, data, spans, true);
    }
  }

  /** Counts body bytes received from the backend. The caller keeps ownership of {@code data}. */
  public void inbound(ByteBuf data) {
    int bytes = data.readableBytes();
    responseBytes += bytes;
    stats.count(CallCounter.RESPONSE_BYTES, bytes);
    if (method != null) {
      received += bytes;
      receivedPrefixes = MessagePrefixes.read(receivedPrefixes, data, spans, false);
    }
  }

  public void count(CallCounter event) {
    stats.count(event);
  }

  public void requestData(int bytes) {
    requestBytes += bytes;
    stats.count(CallCounter.REQUEST_BYTES, bytes);
  }

  public void responded(int status) {
    httpStatus = status;
  }

  /** Sets the status of the backend's response, which may be derived from its HTTP status. */
  public void grpcStatus(RpcStatus.Code status) {
    code = status;
  }

  /**
   * Records that the proxy ended the response itself.
   *
   * @param http the {@code :status} for a request that is not gRPC
   */
  public void local(RpcStatus status, LocalReason why, int http) {
    code = why.allowed(status).code();
    message = status.message();
    reason = why;
    stats.local(why);
    if (httpStatus == 0) {
      httpStatus = isGrpc() ? 200 : http;
    }
  }

  /** Whether the proxy ended the call because of a limit, which is not the backend's failure. */
  public boolean isBeyondLimits() {
    return reason == LocalReason.OVERLOAD || reason == LocalReason.HEADERS_TOO_LARGE;
  }

  /** Records that the app cancelled the call or closed its connection. */
  public void cancelled() {
    cancelled = true;
    code = RpcStatus.Code.CANCELLED;
  }

  public void ended(long nanos, long limitNanos) {
    durationNanos = nanos;
    timeoutNanos = limitNanos;
    stats.count(CallCounter.ENDED);
    if (cancelled) {
      stats.count(CallCounter.CANCELLED);
    } else if (isGrpc()) {
      stats.grpcStatus(code);
    } else {
      stats.httpStatus(httpStatus);
    }
    if (method != null) {
      measured(method, nanos);
    } else {
      stats.plainEnded(nanos);
    }
  }

  private void measured(MethodStats own, long now) {
    attemptEnded(own, code, now);
    if (own.isServer()) {
      attemptCounted(own, "", null, code, now);
    }
    own.callEnded(code, now);
    if (isRetried()) {
      Detours past = detours();
      own.retriedCallEnded(past.retries, past.transparentRetries, past.withoutAttempt);
    }
    if (spans != CallSpans.NONE) {
      spans.ended(new RpcStatus(code, message));
    }
  }

  private void attemptEnded(MethodStats own, RpcStatus.Code how, long now) {
    delayEnded(now);
    if (begun != NONE && !own.isServer()) {
      String where = attemptCluster == null ? "" : attemptCluster;
      attemptCounted(own, where, locality, how, now - begun);
    }
    begun = NONE;
  }

  private void attemptCounted(
      MethodStats own, String where, @Nullable Locality place, RpcStatus.Code how, long nanos) {
    own.attemptEnded(
        where,
        place,
        how,
        nanos,
        sent - MessagePrefixes.bytes(sentPrefixes),
        received - MessagePrefixes.bytes(receivedPrefixes));
  }

  /**
   * Records that the call or its attempt waits. A delay of the same type as the current delay
   * continues that delay.
   *
   * @param ofAttempt whether the attempt is delayed, rather than the call
   */
  private void delayed(boolean ofAttempt, String type, String why, long now) {
    if (method == null) {
      return;
    }
    Detours current = detours();
    if (!type.equals(current.delayType)) {
      delayOver(now);
      current.delayType = type;
      current.delaysAttempt = ofAttempt;
      current.delayed = now;
      spans.delayBegins(ofAttempt, type, why);
    } else if (!why.equals(current.delayReason)) {
      spans.delayReason(why);
    }
    current.delayReason = why;
  }

  private boolean delayEnded(long now) {
    if (method == null || detours == null || detours.delayType == null) {
      return false;
    }
    if (detours.delaysAttempt) {
      method.attemptDelayed(detours.delayType, now - detours.delayed);
    } else {
      method.callDelayed(detours.delayType, now - detours.delayed);
    }
    detours.delayType = null;
    return true;
  }

  private boolean isRetried() {
    return detours != null && detours.retries + detours.transparentRetries > 0;
  }

  private Detours detours() {
    Detours known = detours;
    if (known == null) {
      known = new Detours();
      detours = known;
    }
    return known;
  }

  private boolean isGrpc() {
    return head != null && head.isGrpc();
  }

  @Override
  public int loop() {
    return stats.loop();
  }

  @Override
  public RpcStatus.Code code() {
    return code;
  }

  @Override
  public @Nullable String clusterName() {
    return clusterName;
  }

  @Override
  public @Nullable EndpointAddress address() {
    return picked == null ? null : picked.address();
  }

  @Override
  public long durationNanos() {
    return durationNanos;
  }

  @Override
  public CallRecord record(String forward, long endMillis) {
    Optional<Backend> backend = Optional.ofNullable(picked).map(Subchannel::backend);
    AsciiString traceparent = head == null ? null : head.headers().get(TRACEPARENT);
    return new CallRecord(
        forward,
        endMillis,
        durationNanos,
        head == null ? AsciiString.EMPTY_STRING : head.method(),
        head == null ? "" : head.path(),
        head == null ? AsciiString.EMPTY_STRING : head.authority(),
        Optional.ofNullable(chosen).map(to -> to.route().name()).filter(name -> !name.isEmpty()),
        Optional.ofNullable(clusterName),
        Optional.ofNullable(address()),
        backend.map(Backend::locality),
        picked == null ? OptionalInt.empty() : OptionalInt.of(picked.backend().priority()),
        attempts,
        isGrpc(),
        code,
        httpStatus,
        Optional.ofNullable(reason),
        requestBytes,
        responseBytes,
        timeoutNanos,
        traceparent == null ? AsciiString.EMPTY_STRING : traceparent,
        peer,
        policy);
  }
}
