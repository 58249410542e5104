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
  static final int GRPC = CallCounter.COUNT;
  static final int HTTP = GRPC + RpcStatus.Code.values().length;
  static final int LOCAL = HTTP + 6;
  static final int COUNTERS = LOCAL + LocalReason.values().length;

  private final int loop;
  private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);

  /** The durations of requests that are not gRPC. */
  private final Histogram plain = new Histogram(Histogram.FINE_NANOS);

  /** The statistics of all gRPC methods that have no statistics of their own. */
  private final MethodStats other;

  private final Map<String, MethodStats> byMethod;

  public CallStats(int loop, Measuring measuring) {
    this.loop = loop;
    other = new MethodStats(measuring);
    byMethod =
        measuring.methods().stream()
            .collect(Collectors.toMap(name -> name, name -> new MethodStats(measuring)));
  }

  int loop() {
    return loop;
  }

  MethodStats method(RequestView request) {
    return byMethod.isEmpty() ? other : byMethod.getOrDefault(request.path().substring(1), other);
  }

  void count(CallCounter counter) {
    add(counter.slot(), 1);
  }

  void count(CallCounter counter, long more) {
    add(counter.slot(), more);
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

  /** Records the duration of a request that is not gRPC. */
  void plainEnded(long nanos) {
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

  private void add(int slot, long more) {
    counters.setOpaque(slot, counters.getPlain(slot) + more);
  }
}
