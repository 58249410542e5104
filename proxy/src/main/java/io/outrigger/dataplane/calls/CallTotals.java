package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The calls of one forward at one moment, over all event loops. */
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

  /** gRPC calls by method; {@code other} for those that are not told apart. */
  public Map<String, MethodTotals> methods() {
    return methods;
  }

  /** Requests whose headers arrived. */
  public long started() {
    return counters[CallStats.STARTED];
  }

  /** Requests that have ended, in any way. */
  public long ended() {
    return counters[CallStats.ENDED];
  }

  /** Requests in progress. */
  public long active() {
    return Math.max(0, started() - ended());
  }

  /** Requests that wait for names, picks or streams. */
  public int queued() {
    return queued;
  }

  /** Requests that the app gave up. */
  public long cancelled() {
    return counters[CallStats.CANCELLED];
  }

  /** Attempts that a route's policy made after a failure. */
  public long retried() {
    return counters[CallStats.RETRIED];
  }

  /** Requests that one backend refused and another was given (A6 "Transparent Retries"). */
  public long transparentRetries() {
    return counters[CallStats.REMADE];
  }

  /** Requests that could not be retried any more since they had outgrown what may be kept. */
  public long notReplayable() {
    return counters[CallStats.NOT_REPLAYABLE];
  }

  /** Requests that are missing in the access log, since it could not be written as fast. */
  public long unobserved() {
    return counters[CallStats.UNOBSERVED];
  }

  /** gRPC requests that ended with {@code code}. */
  public long byGrpcStatus(RpcStatus.Code code) {
    return counters[CallStats.GRPC + code.number()];
  }

  /**
   * Other requests that ended with a status of a class.
   *
   * @param hundreds 1 to 5; 0 for requests that were reset
   */
  public long byHttpClass(int hundreds) {
    return counters[CallStats.HTTP + hundreds];
  }

  /** Requests that went well, as balancing counts its calls: gRPC's OK, or HTTP's below 500. */
  public long succeeded() {
    long sum = byGrpcStatus(RpcStatus.Code.OK);
    for (int hundreds = 1; hundreds < 5; hundreds++) {
      sum += byHttpClass(hundreds);
    }
    return sum;
  }

  /** Answers that the proxy made itself. */
  public long byLocalReason(LocalReason reason) {
    return counters[CallStats.LOCAL + reason.slot()];
  }

  /** DATA bytes from apps. */
  public long requestBytes() {
    return counters[CallStats.REQUEST_BYTES];
  }

  /** DATA bytes to apps. */
  public long responseBytes() {
    return counters[CallStats.RESPONSE_BYTES];
  }

  /** How many ended calls took at most {@code micros}, to within 6 %. */
  public long endedWithin(long micros) {
    long sum = 0;
    for (int i = 0; i < latencies.length && LatencyHistogram.upperMicros(i) <= micros; i++) {
      sum += latencies[i];
    }
    return sum;
  }

  /** The duration that a share {@code quantile} of ended calls kept to; 0 when none has ended. */
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

  /** Every bucket of durations in which a call has ended, shortest first. */
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
   * Ended calls of about the same duration.
   *
   * @param micros the longest that falls in, at most 6 % above the shortest
   */
  public record Durations(long micros, long count) {}

  /** How long all ended calls took together. */
  public long totalMicros() {
    return nanos / 1_000;
  }
}
