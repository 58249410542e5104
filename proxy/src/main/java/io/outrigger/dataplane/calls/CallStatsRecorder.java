package io.outrigger.dataplane.calls;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.lb.Subchannel;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** What is to be said of one call when it has ended: for counters and the observer. */
@LoopConfined
public final class CallStatsRecorder extends AttemptMeasure implements CallSummary {
  private static final AsciiString TRACEPARENT = AsciiString.cached("traceparent");

  private final CallStats stats;
  private CallSpans spans = CallSpans.NONE;
  private @Nullable CallRequest head;
  private RpcStatus.Code code = RpcStatus.Code.OK;
  private String message = "";
  private int httpStatus;
  private @Nullable LocalReason reason;
  private String target = "";
  private RouteDecision.@Nullable Forward chosen;
  private @Nullable String clusterName;

  private @Nullable Subchannel picked;
  private int attempts;
  private boolean cancelled;
  private String delayReason = "";
  private long requestBytes;
  private long responseBytes;
  private long durationNanos;
  private long endedNanos;
  private long timeoutNanos = EffectiveTimeout.NONE;

  /**
   * @param stats of the call's event loop
   */
  public CallStatsRecorder(CallStats stats) {
    this.stats = stats;
  }

  public void started(CallRequest request, CallTracer tracer) {
    head = request;
    stats.started();
    if (request.isGrpc()) {
      spans = tracer.begin(request);
      measureFor(stats.method(request));
    }
  }

  /** Hears of the course of the call while it lasts. */
  public CallSpans spans() {
    return spans;
  }

  /** Whose configuration routes the call. */
  public void targeted(String name) {
    target = name;
  }

  /**
   * What routing chose, and the call's time with that.
   *
   * @param usedCluster the decision's, or that of the call's session
   */
  public void routed(RouteDecision.Forward decision, String usedCluster, long limitNanos) {
    chosen = decision;
    clusterName = usedCluster;
    timeoutNanos = limitNanos;
  }

  public void attempt(Subchannel latest) {
    picked = latest;
    attempts++;
    attemptPicked(latest);
  }

  /**
   * A pick for a new attempt begins.
   *
   * @param previous attempts that the route's policy counts
   * @param transparent whether the last one was refused before a backend did anything
   * @param now since the arrival of the call
   */
  public void attemptBegins(int previous, boolean transparent, long now) {
    spans.attemptBegins(previous, transparent);
    attemptBegun(clusterName, now);
  }

  /** The call waits for what routes it (A121 "Resolver Delays"). */
  public void callDelayed(String reason, long now) {
    delayed(false, "resolving", reason, now);
  }

  /** The attempt waits for a connection (A121 "LB Pick Delays"). */
  public void attemptDelayed(String type, String reason, long now) {
    delayed(true, type, reason, now);
  }

  private void delayed(boolean ofAttempt, String type, String reason, long now) {
    if (!isGrpc()) {
      return;
    }
    if (type.equals(delayType())) {
      if (!reason.equals(delayReason)) {
        spans.delayReason(reason);
      }
    } else {
      delayOver(now);
      delayBegun(ofAttempt, type, now);
      spans.delayBegins(ofAttempt, type, reason);
    }
    delayReason = reason;
  }

  /** What was waited for is there, if anything was. */
  public void delayOver(long now) {
    if (delayType() != null) {
      delayEnded(now);
      spans.delayEnds();
    }
  }

  /**
   * The route's policy sends the request again.
   *
   * @param now since the arrival of the call
   */
  public void retried(RpcStatus failure, long now) {
    stats.retried();
    attemptRetried(failure.code(), now);
    spans.attemptFailed(failure);
  }

  /**
   * A refused request is given to another backend.
   *
   * @param now since the arrival of the call
   */
  public void transparentRetry(RpcStatus failure, long now) {
    stats.transparentRetry();
    attemptRemade(failure.code(), now);
    spans.attemptFailed(failure);
  }

  /** Body bytes go to the backend of the attempt; {@code data} stays the caller's. */
  public void outbound(ByteBuf data) {
    spans.outbound(data);
    measureOutbound(data);
  }

  /** Body bytes come from the backend of the attempt; {@code data} stays the caller's. */
  public void inbound(ByteBuf data) {
    responseData(data.readableBytes());
    spans.inbound(data);
    measureInbound(data);
  }

  /** A request that a policy would send again has outgrown what may be kept of it. */
  public void notReplayable() {
    stats.notReplayable();
  }

  /** Body bytes from the app. */
  public void requestData(int bytes) {
    requestBytes += bytes;
    stats.requestBytes(bytes);
  }

  private void responseData(int bytes) {
    responseBytes += bytes;
    stats.responseBytes(bytes);
  }

  /** The head of the backend's response went out. */
  public void responded(int status) {
    httpStatus = status;
  }

  /** What the end of the backend's response said, or was taken to say. */
  public void grpcStatus(RpcStatus.Code status) {
    code = status;
  }

  /**
   * The proxy ended the response.
   *
   * @param http the status of an answer that is not gRPC
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

  /** Whether the call was ended because of a limit that is no fault of the backend. */
  public boolean isBeyondLimits() {
    return reason == LocalReason.OVERLOAD || reason == LocalReason.HEADERS_TOO_LARGE;
  }

  /** The app left. */
  public void cancelled() {
    cancelled = true;
    code = RpcStatus.Code.CANCELLED;
  }

  /**
   * @param now by the clock of the loop
   */
  public void ended(long nanos, long limitNanos, long now) {
    endedNanos = now;
    durationNanos = nanos;
    timeoutNanos = limitNanos;
    if (cancelled) {
      stats.cancelled();
    } else if (isGrpc()) {
      stats.grpcStatus(code);
    } else {
      stats.httpStatus(httpStatus);
    }
    if (isGrpc()) {
      stats.ended();
      callEnded(code, nanos);
    } else {
      stats.endedPlain(nanos);
    }
    if (spans != CallSpans.NONE) {
      spans.ended(new RpcStatus(code, message));
    }
  }

  /** The observer could not take it. */
  public void unobserved() {
    stats.unobserved();
  }

  @Override
  public CharSequence method() {
    return head == null ? AsciiString.EMPTY_STRING : head.method();
  }

  @Override
  public String path() {
    return head == null ? "" : head.path();
  }

  @Override
  public CharSequence authority() {
    return head == null ? AsciiString.EMPTY_STRING : head.authority();
  }

  @Override
  public boolean isGrpc() {
    return head != null && head.isGrpc();
  }

  @Override
  public RpcStatus.Code code() {
    return code;
  }

  @Override
  public int httpStatus() {
    return httpStatus;
  }

  @Override
  public Optional<LocalReason> localReason() {
    return Optional.ofNullable(reason);
  }

  @Override
  public Optional<String> cluster() {
    return Optional.ofNullable(clusterName());
  }

  @Override
  public @Nullable String clusterName() {
    return clusterName;
  }

  @Override
  public int loop() {
    return stats.loop();
  }

  @Override
  public String target() {
    return target;
  }

  @Override
  public int routeIndex() {
    return chosen == null ? -1 : chosen.route().index();
  }

  @Override
  public Optional<EffectiveTimeout.Source> limitSource() {
    return chosen == null ? Optional.empty() : Optional.of(chosen.limit().source());
  }

  @Override
  public @Nullable EndpointAddress address() {
    return picked == null ? null : picked.address();
  }

  @Override
  public long endedNanos() {
    return endedNanos;
  }

  @Override
  public Optional<String> route() {
    String name = chosen == null ? "" : chosen.route().name();
    return name.isEmpty() ? Optional.empty() : Optional.of(name);
  }

  @Override
  public Optional<Locality> locality() {
    return picked == null ? Optional.empty() : picked.locality();
  }

  @Override
  public OptionalInt priority() {
    return picked == null ? OptionalInt.empty() : picked.priority();
  }

  @Override
  public Optional<String> endpoint() {
    return Optional.ofNullable(picked).map(each -> each.address().toString());
  }

  @Override
  public int attempts() {
    return attempts;
  }

  @Override
  public long durationNanos() {
    return durationNanos;
  }

  @Override
  public long timeoutNanos() {
    return timeoutNanos;
  }

  @Override
  public CharSequence traceparent() {
    AsciiString value = head == null ? null : head.headers().get(TRACEPARENT);
    return value == null ? AsciiString.EMPTY_STRING : value;
  }

  @Override
  public long requestBytes() {
    return requestBytes;
  }

  @Override
  public long responseBytes() {
    return responseBytes;
  }
}
