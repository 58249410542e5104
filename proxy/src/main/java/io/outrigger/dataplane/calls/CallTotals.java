package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.util.Map;
import java.util.TreeMap;

/** A snapshot of the counters of one forward's calls, summed over all event loops. */
@AnyThread
public final class CallTotals {
  private final long[] counters = new long[CallStats.COUNTERS];
  private final Histogram durations = new Histogram(Histogram.FINE_NANOS);
  private final Map<String, MethodStats> methods = new TreeMap<>();
  private final int queued;

  public CallTotals(Iterable<CallStats> loops, int queued) {
    this.queued = queued;
    loops.forEach(stats -> stats.addTo(counters, this));
  }

  void add(Histogram more) {
    durations.add(more);
  }

  void add(String method, MethodStats stats) {
    methods.computeIfAbsent(method, name -> stats.empty()).add(stats);
    stats.calls().values().forEach(durations::add);
  }

  /**
   * The gRPC calls by method. The key {@code other} has the methods without statistics of their
   * own.
   */
  public Map<String, MethodStats> methods() {
    return methods;
  }

  public long count(CallCounter counter) {
    return counters[counter.slot()];
  }

  public long active() {
    return Math.max(0, count(CallCounter.STARTED) - count(CallCounter.ENDED));
  }

  /** Requests that wait for configuration, picks or streams. */
  public int queued() {
    return queued;
  }

  public long byGrpcStatus(RpcStatus.Code code) {
    return counters[CallStats.GRPC + code.number()];
  }

  /**
   * Requests that are not gRPC and ended with an HTTP status of the given class.
   *
   * @param hundreds the first digit of the status, 1 to 5; 0 for requests that were reset
   */
  public long byHttpClass(int hundreds) {
    return counters[CallStats.HTTP + hundreds];
  }

  /** Requests that balancing counts as successful: gRPC status OK, or HTTP status below 500. */
  public long succeeded() {
    long sum = byGrpcStatus(RpcStatus.Code.OK);
    for (int hundreds = 1; hundreds < 5; hundreds++) {
      sum += byHttpClass(hundreds);
    }
    return sum;
  }

  /** Requests that the proxy answered itself for {@code reason}. */
  public long byLocalReason(LocalReason reason) {
    return counters[CallStats.LOCAL + reason.slot()];
  }

  /**
   * The durations of all ended calls, in nanoseconds. The values of one bucket differ by at most 6
   * %.
   */
  public Histogram durations() {
    return durations;
  }
}
