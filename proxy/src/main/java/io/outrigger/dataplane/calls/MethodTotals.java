package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A snapshot of the statistics of one gRPC method, summed over all event loops (A66, A96). */
@AnyThread
public final class MethodTotals {
  private long attempts;
  private final Map<RpcStatus.Code, Measured> calls = new TreeMap<>();
  private final Map<AttemptPlace, Map<RpcStatus.Code, CallAttempts>> ended = new TreeMap<>();
  private final Measured retries = new Measured(MethodStats.RETRIES);
  private final Measured transparentRetries = new Measured(MethodStats.TRANSPARENT_RETRIES);
  private final Measured retryDelays = new Measured(MethodStats.LATENCY_NANOS);

  private final Map<String, Measured> callDelays = new TreeMap<>();
  private final Map<String, Measured> attemptDelays = new TreeMap<>();

  /** A histogram of durations in nanoseconds, of bytes, or of counts. */
  public static final class Measured {
    private final long[] bounds;
    private final long[] counts; // and the sum

    Measured(long[] bounds) {
      this.bounds = bounds;
      counts = new long[bounds.length + 2];
    }

    void add(BoundedHistogram other) {
      other.addTo(counts);
    }

    /** Adds another histogram to the buckets of this one, as precisely as these buckets allow. */
    void add(LatencyHistogram other) {
      other.addTo(bounds, counts);
    }

    /** Adds the counts of another histogram with the same bounds. */
    public void add(Measured other) {
      for (int i = 0; i < counts.length; i++) {
        counts[i] += other.counts[i];
      }
    }

    /** Returns an empty histogram with the same bounds. */
    public Measured empty() {
      return new Measured(bounds);
    }

    /** The number of buckets; the last bucket has no upper bound. */
    public int buckets() {
      return bounds.length + 1;
    }

    /** The inclusive upper bound of any bucket except the last. */
    public long bound(int bucket) {
      return bounds[bucket];
    }

    /** The count of one bucket, not cumulative. */
    public long count(int bucket) {
      return counts[bucket];
    }

    public long sum() {
      return counts[counts.length - 1];
    }
  }

  /**
   * Histograms of ended attempts.
   *
   * @param durations the durations in nanoseconds
   * @param sent the numbers of message bytes sent
   * @param received the numbers of message bytes received
   */
  public record CallAttempts(Measured durations, Measured sent, Measured received) {
    static CallAttempts none() {
      return new CallAttempts(
          new Measured(MethodStats.LATENCY_NANOS),
          new Measured(MethodStats.SIZE_BYTES),
          new Measured(MethodStats.SIZE_BYTES));
    }
  }

  void add(MethodStats loop) {
    attempts += loop.attemptsStarted();
    retries.add(loop.retries);
    transparentRetries.add(loop.transparentRetries);
    retryDelays.add(loop.retryDelays);
    addDelays(loop.callDelays, callDelays);
    addDelays(loop.attemptDelays, attemptDelays);
    for (RpcStatus.Code code : RpcStatus.Code.values()) {
      LatencyHistogram durations = loop.calls.getAcquire(code.number());
      if (durations != null) {
        calls.computeIfAbsent(code, c -> new Measured(MethodStats.LATENCY_NANOS)).add(durations);
      }
    }
    loop.places.forEach(
        (place, byCode) -> {
          for (RpcStatus.Code code : RpcStatus.Code.values()) {
            MethodStats.CallAttempts of = byCode.getAcquire(code.number());
            if (of != null) {
              CallAttempts total =
                  ended
                      .computeIfAbsent(loop.told(place), p -> new TreeMap<>())
                      .computeIfAbsent(code, c -> CallAttempts.none());
              total.durations().add(of.durations);
              total.sent().add(of.sent);
              total.received().add(of.received);
            }
          }
        });
  }

  private static void addDelays(
      @Nullable Map<String, BoundedHistogram> more, Map<String, Measured> all) {
    if (more != null) {
      more.forEach(
          (type, delays) ->
              all.computeIfAbsent(type, t -> new Measured(MethodStats.LATENCY_NANOS)).add(delays));
    }
  }

  /**
   * Delays of calls in nanoseconds, by delay type. Calls without a delay are not included; empty
   * when delays are not measured.
   */
  public Map<String, Measured> callDelays() {
    return callDelays;
  }

  /** Delays of attempts in nanoseconds, by delay type; empty when delays are not measured. */
  public Map<String, Measured> attemptDelays() {
    return attemptDelays;
  }

  /** The number of started attempts, including those in progress. */
  public long attempts() {
    return attempts;
  }

  /** Durations of ended calls in nanoseconds, by status. */
  public Map<RpcStatus.Code, Measured> calls() {
    return calls;
  }

  /** Ended attempts by place and by status. */
  public Map<AttemptPlace, Map<RpcStatus.Code, CallAttempts>> ended() {
    return ended;
  }

  /** The number of retries per call, for calls with retries. */
  public Measured retries() {
    return retries;
  }

  /** The number of transparent retries per call, for calls with transparent retries. */
  public Measured transparentRetries() {
    return transparentRetries;
  }

  /** The time without an attempt in progress per call, for calls with retries, in nanoseconds. */
  public Measured retryDelays() {
    return retryDelays;
  }
}
