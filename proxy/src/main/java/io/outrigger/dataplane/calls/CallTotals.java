package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A snapshot of the counters of one forward's calls, summed over all event loops. */
@AnyThread
public final class CallTotals {
  private final long[] counters;
  private final long[] latencies;
  private final int queued;
  private final Map<String, MethodTotals> methods = new TreeMap<>();
  private long nanos;

  public CallTotals(Iterable<CallStats> loops, int queued) {
    counters = new long[CallStats.COUNTERS];
    latencies = new long[LatencyHistogram.BUCKETS];
    this.queued = queued;
    loops.forEach(stats -> stats.addTo(counters, this));
  }

  void add(LatencyHistogram durations) {
    durations.addTo(latencies);
    nanos += durations.sumNanos();
  }

  void add(String method, MethodStats stats) {
    methods.computeIfAbsent(method, name -> new MethodTotals()).add(stats);
    for (int code = 0; code < MethodStats.CODES; code++) {
      LatencyHistogram durations = stats.calls.getAcquire(code);
      if (durations != null) {
        add(durations);
      }
    }
  }

  /**
   * The gRPC calls by method. The key {@code other} has the methods without statistics of their
   * own.
   */
  public Map<String, MethodTotals> methods() {
    return methods;
  }

  /** Requests whose headers arrived. */
  public long started() {
    return counters[CallStats.STARTED];
  }

  /** Requests that have ended, with any outcome. */
  public long ended() {
    return counters[CallStats.ENDED];
  }

  /** Requests in progress. */
  public long active() {
    return Math.max(0, started() - ended());
  }

  /** Requests that wait for configuration, picks or streams. */
  public int queued() {
    return queued;
  }

  /** Requests that the app cancelled. */
  public long cancelled() {
    return counters[CallStats.CANCELLED];
  }

  /** Attempts that a retry policy made after a failure. */
  public long retried() {
    return counters[CallStats.RETRIED];
  }

  /** Requests that were sent to another backend after a refusal (A6 "Transparent Retries"). */
  public long transparentRetries() {
    return counters[CallStats.TRANSPARENT_RETRIES];
  }

  /**
   * Requests with a retry policy that outgrew their replay buffer and could no longer be retried.
   */
  public long notReplayable() {
    return counters[CallStats.NOT_REPLAYABLE];
  }

  /** Requests that are missing in the access log because its queue was full. */
  public long unobserved() {
    return counters[CallStats.UNOBSERVED];
  }

  /** gRPC requests that ended with {@code code}. */
  public long byGrpcStatus(RpcStatus.Code code) {
    return counters[CallStats.GRPC + code.number()];
  }

  /**
   * Requests that are not gRPC and ended with an HTTP status of the given class.
   *
   * @param hundreds 1 to 5; 0 for requests that were reset
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

  /** The number of DATA bytes received from apps. */
  public long requestBytes() {
    return counters[CallStats.REQUEST_BYTES];
  }

  /** The number of DATA bytes sent to apps. */
  public long responseBytes() {
    return counters[CallStats.RESPONSE_BYTES];
  }

  /** The number of ended calls that took at most {@code micros}, to within 6 %. */
  public long endedWithin(long micros) {
    long sum = 0;
    for (int i = 0; i < latencies.length && LatencyHistogram.upperMicros(i) <= micros; i++) {
      sum += latencies[i];
    }
    return sum;
  }

  /** The duration of ended calls at a quantile; 0 when no call has ended. */
  public long quantileMicros(double quantile) {
    long all = 0;
    for (long count : latencies) {
      all += count;
    }
    long rank = Math.max(1, (long) Math.ceil(quantile * all));
    for (int i = 0; i < latencies.length; i++) {
      rank -= latencies[i];
      if (rank <= 0) {
        return LatencyHistogram.upperMicros(i);
      }
    }
    return 0;
  }

  /** All non-empty buckets of call durations, the shortest first. */
  public List<Durations> durations() {
    List<Durations> found = new ArrayList<>();
    for (int i = 0; i < latencies.length; i++) {
      if (latencies[i] > 0) {
        found.add(new Durations(LatencyHistogram.upperMicros(i), latencies[i]));
      }
    }
    return found;
  }

  /**
   * One bucket of call durations.
   *
   * @param micros the longest duration in the bucket, at most 6 % above the shortest
   */
  public record Durations(long micros, long count) {}

  /** The total duration of all ended calls. */
  public long totalMicros() {
    return nanos / 1_000;
  }
}
