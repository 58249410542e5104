package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.RequestView;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;

/**
 * The counters of one forward's calls on one event loop. Only this loop writes; {@link CallTotals}
 * sums up the loops for readers.
 */
@AnyThread
public final class CallStats {
  static final int STARTED = 0;
  static final int ENDED = 1;
  static final int CANCELLED = 2;
  static final int REQUEST_BYTES = 3;
  static final int RESPONSE_BYTES = 4;
  static final int RETRIED = 5;
  static final int TRANSPARENT_RETRIES = 6;
  static final int NOT_REPLAYABLE = 7;
  static final int UNOBSERVED = 8;
  static final int GRPC = 9;
  static final int HTTP = GRPC + RpcStatus.Code.values().length;
  static final int LOCAL = HTTP + 6;
  static final int COUNTERS = LOCAL + LocalReason.values().length;

  private final int loop;
  private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);

  /** The durations of requests that are not gRPC. */
  private final LatencyHistogram plain = new LatencyHistogram();

  /** The statistics of all gRPC methods that have no statistics of their own. */
  private final MethodStats other;

  private final Map<String, MethodStats> byMethod;

  /**
   * @param loop the index of the event loop
   */
  public CallStats(int loop, Measuring measuring) {
    this.loop = loop;
    other = new MethodStats(measuring);
    byMethod =
        measuring.methods().stream()
            .collect(Collectors.toMap(name -> name, name -> new MethodStats(measuring)));
  }

  /** The index of the event loop. */
  int loop() {
    return loop;
  }

  /** The statistics of the request's gRPC method. */
  MethodStats method(RequestView request) {
    return byMethod.isEmpty() ? other : byMethod.getOrDefault(request.path().substring(1), other);
  }

  void started() {
    add(STARTED, 1);
  }

  void requestBytes(int bytes) {
    add(REQUEST_BYTES, bytes);
  }

  void responseBytes(int bytes) {
    add(RESPONSE_BYTES, bytes);
  }

  /** The app cancelled the call, so the call has no status. */
  void cancelled() {
    add(CANCELLED, 1);
  }

  void retried() {
    add(RETRIED, 1);
  }

  void transparentRetry() {
    add(TRANSPARENT_RETRIES, 1);
  }

  void notReplayable() {
    add(NOT_REPLAYABLE, 1);
  }

  void unobserved() {
    add(UNOBSERVED, 1);
  }

  void grpcStatus(RpcStatus.Code code) {
    add(GRPC + code.number(), 1);
  }

  void httpStatus(int status) {
    add(HTTP + Math.min(5, Math.max(0, status / 100)), 1);
  }

  void local(LocalReason reason) {
    add(LOCAL + reason.slot(), 1);
  }

  /** A gRPC call ended; {@link MethodStats} records its duration. */
  void ended() {
    add(ENDED, 1);
  }

  void endedPlain(long nanos) {
    add(ENDED, 1);
    plain.record(nanos);
  }

  void addTo(long[] sums, CallTotals totals) {
    for (int i = 0; i < COUNTERS; i++) {
      sums[i] += counters.getOpaque(i);
    }
    totals.add(plain);
    totals.add(MethodStats.OTHER, other);
    byMethod.forEach(totals::add);
  }

  private void add(int counter, long count) {
    counters.setOpaque(counter, counters.getPlain(counter) + count);
  }
}
