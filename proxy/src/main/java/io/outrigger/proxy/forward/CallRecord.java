package io.outrigger.proxy.forward;

import io.netty.util.AsciiString;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.RpcStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is to be said of one call when it has ended: for counters and the observer. */
@LoopConfined
final class CallRecord implements FinishedCall {
  private final CallStats stats;
  private @Nullable RequestHead head;
  private RpcStatus.Code code = RpcStatus.Code.OK;
  private int httpStatus;
  private @Nullable LocalReason reason;
  private @Nullable String cluster;
  private @Nullable Attempt attempt;
  private boolean cancelled;
  private long requestBytes;
  private long responseBytes;
  private long durationNanos;

  CallRecord(CallStats stats) {
    this.stats = stats;
  }

  void started(RequestHead request) {
    head = request;
    stats.started();
  }

  void cluster(String name) {
    cluster = name;
  }

  void attempt(Attempt latest) {
    attempt = latest;
  }

  void requestData(int bytes) {
    requestBytes += bytes;
    stats.requestBytes(bytes);
  }

  void responseData(int bytes) {
    responseBytes += bytes;
    stats.responseBytes(bytes);
  }

  /** The head of the backend's response went out. */
  void responded(int status) {
    httpStatus = status;
  }

  /** What the end of the backend's response said, or was taken to say. */
  void grpcStatus(RpcStatus.Code status) {
    code = status;
  }

  /**
   * The proxy ended the response.
   *
   * @param http the status of an answer that is not gRPC
   */
  void local(RpcStatus status, LocalReason why, int http) {
    code = LocalReply.allowed(status, why).code();
    reason = why;
    stats.local(why);
    if (httpStatus == 0) {
      httpStatus = isGrpc() ? 200 : http;
    }
  }

  /** The app left. */
  void cancelled() {
    cancelled = true;
    code = RpcStatus.Code.CANCELLED;
  }

  void ended(long nanos) {
    durationNanos = nanos;
    if (cancelled) {
      stats.cancelled();
    } else if (isGrpc()) {
      stats.grpcStatus(code);
    } else {
      stats.httpStatus(httpStatus);
    }
    stats.ended(nanos);
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
    return Optional.ofNullable(cluster);
  }

  @Override
  public Optional<String> endpoint() {
    return Optional.ofNullable(attempt).map(Attempt::address);
  }

  @Override
  public long durationNanos() {
    return durationNanos;
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
