package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.rbac.PeerIdentity;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.config.Backend;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Records one call for the counters, spans and observers. */
@LoopConfined
public final class CallStatsRecorder implements CallSummary {
  private static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");

  private final CallStats stats;
  private @Nullable CallRequest head;

  /** Null until the call has started, and for a request that is not gRPC. */
  private @Nullable AttemptMeasure measure;

  private RpcStatus.Code code = RpcStatus.Code.OK;
  private String message = "";
  private int httpStatus;
  private @Nullable LocalReason reason;
  private String target = "";
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
  private long endedNanos;
  private long timeoutNanos = EffectiveTimeout.NONE;

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
      measure = new AttemptMeasure(stats.method(request), tracer.begin(request));
    }
  }

  /** The spans of the call, which are notified while the call is in progress. */
  public CallSpans spans() {
    return measure == null ? CallSpans.NONE : measure.spans();
  }

  /** Sets the caller of a served call. */
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

  /** Sets the target whose configuration routes the call. */
  public void targeted(String name) {
    target = name;
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

  public void attempt(Subchannel latest) {
    picked = latest;
    attempts++;
    if (measure != null) {
      measure.attemptPicked(latest);
    }
  }

  /**
   * A pick for a new attempt begins. Here and below, {@code now} is in nanoseconds since the
   * arrival of the call.
   *
   * @param previous the number of previous attempts that the retry policy counts
   * @param transparent whether this is a transparent retry of a refused attempt
   */
  public void attemptBegins(int previous, boolean transparent, long now) {
    if (measure != null) {
      measure.attemptBegins(clusterName, previous, transparent, now);
    }
  }

  /** The call waits for its configuration (A121 "Resolver Delays"). */
  public void callDelayed(String why, long now) {
    if (measure != null) {
      measure.delayed(false, "resolving", why, now);
    }
  }

  /** The attempt waits for a connection (A121 "LB Pick Delays"). */
  public void attemptDelayed(String type, String why, long now) {
    if (measure != null) {
      measure.delayed(true, type, why, now);
    }
  }

  /** The current delay has ended; returns false when there is none. */
  public boolean delayOver(long now) {
    return measure != null && measure.delayOver(now);
  }

  /**
   * The request is sent again after a failed attempt.
   *
   * @param transparent whether the attempt was refused, so that the retry policy does not count it
   */
  public void retried(RpcStatus failure, boolean transparent, long now) {
    stats.count(transparent ? CallCounter.TRANSPARENT_RETRIES : CallCounter.RETRIED);
    if (measure != null) {
      measure.attemptFailed(failure, transparent, now);
    }
  }

  /** Body bytes are sent to the backend. The caller keeps ownership of {@code data}. */
  public void outbound(ByteBuf data) {
    if (measure != null) {
      measure.outbound(data);
    }
  }

  /** Body bytes arrived from the backend. The caller keeps ownership of {@code data}. */
  public void inbound(ByteBuf data) {
    int bytes = data.readableBytes();
    responseBytes += bytes;
    stats.count(CallCounter.RESPONSE_BYTES, bytes);
    if (measure != null) {
      measure.inbound(data);
    }
  }

  /** A request with a retry policy has outgrown its replay buffer and can no longer be retried. */
  public void notReplayable() {
    stats.count(CallCounter.NOT_REPLAYABLE);
  }

  /** Body bytes arrived from the app. */
  public void requestData(int bytes) {
    requestBytes += bytes;
    stats.count(CallCounter.REQUEST_BYTES, bytes);
  }

  /** The headers of the backend's response arrived. */
  public void responded(int status) {
    httpStatus = status;
  }

  /** Sets the status of the backend's response, which may be derived from its HTTP status. */
  public void grpcStatus(RpcStatus.Code status) {
    code = status;
  }

  /**
   * The proxy ended the response itself.
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

  /** Whether the proxy ended the call because of a limit, which is no failure of the backend. */
  public boolean isBeyondLimits() {
    return reason == LocalReason.OVERLOAD || reason == LocalReason.HEADERS_TOO_LARGE;
  }

  /** The app cancelled the call or closed its connection. */
  public void cancelled() {
    cancelled = true;
    code = RpcStatus.Code.CANCELLED;
  }

  /**
   * @param now the time by the clock of the loop
   */
  public void ended(long nanos, long limitNanos, long now) {
    endedNanos = now;
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
    if (measure != null) {
      measure.callEnded(code, message, nanos);
    } else {
      stats.plainEnded(nanos);
    }
  }

  /** The observer dropped the call. */
  public void unobserved() {
    stats.count(CallCounter.UNOBSERVED);
  }

  private boolean isGrpc() {
    return head != null && head.isGrpc();
  }

  @Override
  public int loop() {
    return stats.loop();
  }

  @Override
  public String path() {
    return head == null ? "" : head.path();
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
  public long endedNanos() {
    return endedNanos;
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
        path(),
        head == null ? AsciiString.EMPTY_STRING : head.authority(),
        target,
        chosen == null ? -1 : chosen.route().index(),
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
        Optional.ofNullable(chosen).map(to -> to.limit().source()),
        traceparent == null ? AsciiString.EMPTY_STRING : traceparent,
        peer,
        policy);
  }
}
