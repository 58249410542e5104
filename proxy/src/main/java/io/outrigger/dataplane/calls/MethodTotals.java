package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The gRPC calls of one method at one moment, over all event loops (A66, A96). */
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

  /** A histogram: bounds in nanoseconds, bytes, or numbers. */
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

    /** In buckets of these bounds, as far as its own are fine enough. */
    void add(LatencyHistogram other) {
      other.addTo(bounds, counts);
    }

    /** Adds what {@code other}, of the same bounds, has. */
    public void add(Measured other) {
      for (int i = 0; i < counts.length; i++) {
        counts[i] += other.counts[i];
      }
    }

    /** An empty one of the same bounds. */
    public Measured empty() {
      return new Measured(bounds);
    }

    /** How many buckets there are; the last one has no bound. */
    public int buckets() {
      return bounds.length + 1;
    }

    /** The upper bound of a bucket but the last, inclusive. */
    public long bound(int bucket) {
      return bounds[bucket];
    }

    /** The count of one bucket alone. */
    public long count(int bucket) {
      return counts[bucket];
    }

    public long sum() {
      return counts[counts.length - 1];
    }
  }

  /**
   * Attempts that ended.
   *
   * @param durations in nanoseconds
   * @param sent bytes of messages
   * @param received bytes of messages
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

  /** Waits of calls in nanoseconds, by what they were for; those that waited, if it is measured. */
  public Map<String, Measured> callDelays() {
    return callDelays;
  }

  /** The same of attempts. */
  public Map<String, Measured> attemptDelays() {
    return attemptDelays;
  }

  /** Attempts that began, those in progress included. */
  public long attempts() {
    return attempts;
  }

  /** Durations of calls in nanoseconds, by their status. */
  public Map<RpcStatus.Code, Measured> calls() {
    return calls;
  }

  /** CallAttempts by where they went and by status. */
  public Map<AttemptPlace, Map<RpcStatus.Code, CallAttempts>> ended() {
    return ended;
  }

  /** Retries of those calls that had any. */
  public Measured retries() {
    return retries;
  }

  /** Transparent retries of those calls that had any. */
  public Measured transparentRetries() {
    return transparentRetries;
  }

  /** How long calls with further attempts had none under way, in nanoseconds. */
  public Measured retryDelays() {
    return retryDelays;
  }
}
