package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.filter.LocalReason;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Records one call for the counters, spans and observers. A gRPC call and its attempts are measured
 * as A66 and A96 specify. An attempt begins with its pick and ends with its status, even when the
 * pick fails. Times are in nanoseconds since the call's arrival.
 */
@LoopConfined
public final class CallStatsRecorder implements CallSummary {
  private static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");

  private static final long NONE = -1;

  /** The statistics of the call's event loop. */
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
  private @Nullable Subchannel subchannel;
  private int attempts;
  private boolean cancelled;
  private long requestBytes;
  private long responseBytes;
  private long durationNanos;
  private long timeoutNanos = EffectiveTimeout.NONE;

  /** The leaf cluster of the current attempt's backend, if known; otherwise the routed cluster. */
  private @Nullable String attemptCluster;

  private @Nullable Locality locality;

  /** The start of the current attempt; {@link #NONE} when no attempt is in progress. */
  private long attemptStart = NONE;

  private long sent;
  private long received;
  private long sentPrefixes;
  private long receivedPrefixes;

  /** The call's delays and retries; null for most calls, which have none. */
  private @Nullable DelaysAndRetries delaysAndRetries;

  private static final class DelaysAndRetries {
    /** The type of the current delay (A121); null when the call does not wait. */
    @Nullable String delayType;

    String delayReason = "";
    boolean delaysAttempt;
    long delayStart;

    int retries;
    int transparentRetries;
    long lastEnd;
    long withoutAttempt;
  }

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

  public CallSpans spans() {
    return spans;
  }

  public void peer(PeerIdentity caller) {
    peer = caller;
  }

  /** Sets the RBAC policy that decided about the call; null when no policy matched. */
  public void policy(@Nullable String name) {
    policy = name;
  }

  /** Sets the routing decision and the used cluster, which a session cookie may have changed. */
  public void routed(RouteDecision.Forward decision, String usedCluster) {
    chosen = decision;
    clusterName = usedCluster;
  }

  /**
   * Called when the pick has returned a backend. In an aggregate cluster, metrics count the attempt
   * under the leaf cluster (A89).
   */
  public void attempt(Subchannel latest) {
    subchannel = latest;
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
   * @param previous see {@link CallSpans#attemptBegins}
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
    attemptStart = now;
    if (isRetried()) {
      delaysAndRetries().withoutAttempt += now - delaysAndRetries().lastEnd;
      sent = 0;
      received = 0;
      sentPrefixes = 0;
      receivedPrefixes = 0;
    }
  }

  /** Called when the call waits for its configuration (A121 "Resolver Delays"). */
  public void callDelayed(String delayReason, long now) {
    delayed(false, "resolving", delayReason, now);
  }

  /** Called when the attempt waits for a connection (A121 "LB Pick Delays"). */
  public void attemptDelayed(String type, String delayReason, long now) {
    delayed(true, type, delayReason, now);
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
   * Called when the request is sent again after a failed attempt.
   *
   * @param transparent whether the next attempt is a transparent retry
   */
  public void retried(RpcStatus failure, boolean transparent, long now) {
    stats.count(transparent ? CallCounter.TRANSPARENT_RETRIES : CallCounter.RETRIED);
    if (method == null) {
      return;
    }
    DelaysAndRetries more = delaysAndRetries();
    if (transparent) {
      more.transparentRetries++;
    } else {
      more.retries++;
    }
    more.lastEnd = now;
    attemptEnded(method, failure.code(), now);
    spans.attemptFailed(failure);
  }

  /** Counts body bytes that are sent to the backend; does not release the buffer. */
  public void outbound(ByteBuf data) {
    if (method != null) {
      sent += data.readableBytes();
      sentPrefixes = MessagePrefixes.read(sentPrefixes, data, spans, true);
    }
  }

  /** Counts body bytes received from the backend; does not release the buffer. */
  public void inbound(ByteBuf data) {
    int bytes = data.readableBytes();
    responseBytes += bytes;
    stats.count(CallCounter.RESPONSE_BYTES, bytes);
    if (method != null) {
      received += bytes;
      receivedPrefixes = MessagePrefixes.read(receivedPrefixes, data, spans, false);
    }
  }

  @Override
  public Runnable onLost() {
    return stats.onLost;
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

  /** Sets the status of the backend's response. */
  public void grpcStatus(RpcStatus.Code status) {
    code = status;
  }

  /** Records that the proxy ended the response; the reason determines the HTTP status. */
  public void local(RpcStatus status, LocalReason localReason) {
    local(status, localReason, localReason.httpStatus(status));
  }

  /**
   * Records that the proxy, not the backend, ended the response.
   *
   * @param http the {@code :status} for a request that is not gRPC
   */
  public void local(RpcStatus status, LocalReason localReason, int http) {
    code = localReason.allowed(status).code();
    message = status.message();
    reason = localReason;
    stats.local(localReason);
    if (httpStatus == 0) {
      httpStatus = isGrpc() ? 200 : http;
    }
  }

  /** Whether a limit of the proxy, not a failure of the backend, ended the call. */
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
      countGrpcCall(method, nanos);
    } else {
      stats.notGrpcEnded(nanos);
    }
  }

  private void countGrpcCall(MethodStats ofMethod, long now) {
    attemptEnded(ofMethod, code, now);
    if (ofMethod.isServer()) {
      countAttempt(ofMethod, "", null, code, now);
    }
    ofMethod.callEnded(code, now);
    if (isRetried()) {
      DelaysAndRetries all = delaysAndRetries();
      ofMethod.retriedCallEnded(all.retries, all.transparentRetries, all.withoutAttempt);
    }
    if (spans != CallSpans.NONE) {
      spans.ended(new RpcStatus(code, message));
    }
  }

  private void attemptEnded(MethodStats ofMethod, RpcStatus.Code attemptCode, long now) {
    delayEnded(now);
    if (attemptStart != NONE && !ofMethod.isServer()) {
      String cluster = attemptCluster == null ? "" : attemptCluster;
      countAttempt(ofMethod, cluster, locality, attemptCode, now - attemptStart);
    }
    attemptStart = NONE;
  }

  private void countAttempt(
      MethodStats ofMethod,
      String cluster,
      @Nullable Locality attemptLocality,
      RpcStatus.Code attemptCode,
      long nanos) {
    ofMethod.attemptEnded(
        cluster,
        attemptLocality,
        attemptCode,
        nanos,
        sent - MessagePrefixes.bytes(sentPrefixes),
        received - MessagePrefixes.bytes(receivedPrefixes));
  }

  /** Starts a delay, or continues the current delay if it has the same type. */
  private void delayed(boolean ofAttempt, String type, String delayReason, long now) {
    if (method == null) {
      return;
    }
    DelaysAndRetries current = delaysAndRetries();
    if (!type.equals(current.delayType)) {
      delayOver(now);
      current.delayType = type;
      current.delaysAttempt = ofAttempt;
      current.delayStart = now;
      spans.delayBegins(ofAttempt, type, delayReason);
    } else if (!delayReason.equals(current.delayReason)) {
      spans.delayReason(delayReason);
    }
    current.delayReason = delayReason;
  }

  private boolean delayEnded(long now) {
    if (method == null || delaysAndRetries == null || delaysAndRetries.delayType == null) {
      return false;
    }
    if (delaysAndRetries.delaysAttempt) {
      method.attemptDelayed(delaysAndRetries.delayType, now - delaysAndRetries.delayStart);
    } else {
      method.callDelayed(delaysAndRetries.delayType, now - delaysAndRetries.delayStart);
    }
    delaysAndRetries.delayType = null;
    return true;
  }

  private boolean isRetried() {
    return delaysAndRetries != null
        && delaysAndRetries.retries + delaysAndRetries.transparentRetries > 0;
  }

  private DelaysAndRetries delaysAndRetries() {
    DelaysAndRetries created = delaysAndRetries;
    if (created == null) {
      created = new DelaysAndRetries();
      delaysAndRetries = created;
    }
    return created;
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
    return subchannel == null ? null : subchannel.address();
  }

  @Override
  public long durationNanos() {
    return durationNanos;
  }

  @Override
  public CallRecord record(String forward, long endMillis) {
    Optional<Backend> backend = Optional.ofNullable(subchannel).map(Subchannel::backend);
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
        subchannel == null ? OptionalInt.empty() : OptionalInt.of(subchannel.backend().priority()),
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
