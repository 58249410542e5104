package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one gRPC method, or of all methods without metrics of their own (A66, A96).
 * Each event loop writes its own {@code MethodStats}; {@link CallStats.Totals} adds them up.
 */
@AnyThread
public final class MethodStats {
  /**
   * Limits the number of {@link Place}s (cluster and locality), because a control plane may send
   * any number of cluster names. Attempts in further places count as {@link #OTHER}.
   */
  static final int MAX_PLACES = 500;

  /**
   * The maximum length of the names of cluster and locality together; attempts in a {@link Place}
   * with longer names count as {@link #OTHER}.
   */
  public static final int MAX_NAMES = 1000;

  /**
   * Limits the number of delay types, because nested priorities can produce many. Further types
   * count as {@link #OTHER}.
   */
  static final int MAX_DELAY_TYPES = 100;

  /** The name of methods, clusters and delay types that have no metrics of their own (A66). */
  static final String OTHER = "other";

  /** The latency buckets of A66 "Units", in microseconds. */
  private static final long[] LATENCY_MICROS = {
    0, 10, 50, 100, 300, 600, 800,
    1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 8_000,
    10_000, 13_000, 16_000, 20_000, 25_000, 30_000, 40_000,
    50_000, 65_000, 80_000, 100_000, 130_000, 160_000, 200_000,
    250_000, 300_000, 400_000, 500_000, 650_000, 800_000, 1_000_000,
    2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000
  };

  private static final long[] LATENCY_NANOS =
      LongStream.of(LATENCY_MICROS).map(micros -> micros * 1_000).toArray();

  /** The size buckets of A66 "Units". */
  private static final long[] SIZE_BYTES = {
    0, 1L << 10, 1L << 11, 1L << 12, 1L << 14, 1L << 16, 1L << 18, 1L << 20, 1L << 22, 1L << 24,
    1L << 26, 1L << 28, 1L << 30, 1L << 32
  };

  /** The buckets of A96 for the number of retries per call. */
  private static final long[] RETRIES = {1, 2, 3, 4, 5};

  /** The buckets of A96 for the number of transparent retries per call. */
  private static final long[] TRANSPARENT_RETRIES = {1, 2, 3, 4, 5, 10};

  /**
   * A place is one combination of cluster and locality; metrics count attempts by place.
   *
   * @param cluster the leaf cluster ({@code grpc.lb.backend_service}, A89)
   * @param locality the locality; null when unknown, or when metrics are not split by locality
   */
  public record Place(String cluster, @Nullable Locality locality) {
    /** The value of {@code grpc.lb.locality} in A78's form; empty when the locality is null. */
    public String localityLabel() {
      return locality == null ? "" : locality.label();
    }

    private int length() {
      return cluster.length() + (locality == null ? 0 : locality.length());
    }

    /** Replaces the generated method, whose first call delays the start by milliseconds. */
    @Override
    public int hashCode() {
      return cluster.hashCode() * 31 + Objects.hashCode(locality);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Place that
          && cluster.equals(that.cluster)
          && Objects.equals(locality, that.locality);
    }
  }

  /** Histograms of ended attempts. */
  public record Attempts(Histogram durations, Histogram sent, Histogram received) {
    Attempts() {
      this(new Histogram(LATENCY_NANOS), new Histogram(SIZE_BYTES), new Histogram(SIZE_BYTES));
    }

    void add(Attempts other) {
      durations.add(other.durations);
      sent.add(other.sent);
      received.add(other.received);
    }
  }

  private final Measuring measuring;
  private final AtomicLong attempts = new AtomicLong();
  private final Histogram retries = new Histogram(RETRIES);
  private final Histogram transparentRetries = new Histogram(TRANSPARENT_RETRIES);
  private final Histogram retryDelays = new Histogram(LATENCY_NANOS);
  private final Map<RpcStatus.Code, Histogram> calls = new ConcurrentHashMap<>();
  private final Map<Place, Map<RpcStatus.Code, Attempts>> ended = new ConcurrentHashMap<>();
  private final Map<String, Histogram> callDelays = new ConcurrentHashMap<>();
  private final Map<String, Histogram> attemptDelays = new ConcurrentHashMap<>();

  // Caches the place of the last attempt, because the next attempt usually has the same place. Used
  // only on the event loop.
  private @Nullable String lastCluster;
  private @Nullable Locality lastLocality;
  private @Nullable Map<RpcStatus.Code, Attempts> last;

  MethodStats(Measuring measuring) {
    this.measuring = measuring;
  }

  void attemptStarted() {
    attempts.setOpaque(attempts.getPlain() + 1);
  }

  void callDelayed(String type, long nanos) {
    if (measuring.callDelays()) {
      delayed(callDelays, type, nanos);
    }
  }

  void attemptDelayed(String type, long nanos) {
    if (measuring.attemptDelays()) {
      delayed(attemptDelays, type, nanos);
    }
  }

  private static void delayed(Map<String, Histogram> delays, String type, long nanos) {
    String name = delays.containsKey(type) || delays.size() < MAX_DELAY_TYPES ? type : OTHER;
    delays.computeIfAbsent(name, t -> new Histogram(LATENCY_NANOS)).record(nanos);
  }

  void callEnded(RpcStatus.Code code, long nanos) {
    Histogram durations = calls.get(code);
    if (durations == null) {
      durations = new Histogram(Histogram.FINE_NANOS);
      calls.put(code, durations);
    }
    durations.record(nanos);
  }

  /**
   * Records the end of a call that had more than one attempt.
   *
   * @param counted the number of retries that the retry policy counts
   * @param delayNanos the time for which no attempt was in progress
   */
  void retriedCallEnded(int counted, int transparent, long delayNanos) {
    if (counted > 0) {
      retries.record(counted);
    }
    if (transparent > 0) {
      transparentRetries.record(transparent);
    }
    retryDelays.record(delayNanos);
  }

  void attemptEnded(
      String cluster,
      @Nullable Locality locality,
      RpcStatus.Code code,
      long nanos,
      long sent,
      long received) {
    Map<RpcStatus.Code, Attempts> byCode = in(cluster, locality);
    Attempts attempts = byCode.get(code);
    if (attempts == null) {
      attempts = new Attempts();
      byCode.put(code, attempts);
    }
    attempts.durations.record(nanos);
    attempts.sent.record(sent);
    attempts.received.record(received);
  }

  @SuppressWarnings("ReferenceEquality") // equal but distinct objects only cost a map lookup
  private Map<RpcStatus.Code, Attempts> in(String cluster, @Nullable Locality locality) {
    Map<RpcStatus.Code, Attempts> found = last;
    if (found == null || cluster != lastCluster || locality != lastLocality) {
      var place = new Place(cluster, locality);
      boolean isFull = !ended.containsKey(place) && ended.size() >= MAX_PLACES;
      found = in(isFull || place.length() > MAX_NAMES ? new Place(OTHER, null) : place);
      lastCluster = cluster;
      lastLocality = locality;
      last = found;
    }
    return found;
  }

  private Map<RpcStatus.Code, Attempts> in(Place place) {
    return ended.computeIfAbsent(place, p -> new ConcurrentHashMap<>());
  }

  MethodStats empty() {
    return new MethodStats(measuring);
  }

  /** Adds the statistics of one event loop. */
  void add(MethodStats loop) {
    attempts.setOpaque(attempts.getPlain() + loop.attempts());
    retries.add(loop.retries);
    transparentRetries.add(loop.transparentRetries);
    retryDelays.add(loop.retryDelays);
    addAll(loop.calls, calls);
    addAll(loop.callDelays, callDelays);
    addAll(loop.attemptDelays, attemptDelays);
    loop.ended.forEach(
        (place, byCode) ->
            byCode.forEach(
                (code, more) -> in(place).computeIfAbsent(code, c -> new Attempts()).add(more)));
  }

  private static <K> void addAll(Map<K, Histogram> more, Map<K, Histogram> all) {
    more.forEach(
        (key, each) -> all.computeIfAbsent(key, k -> new Histogram(LATENCY_NANOS)).add(each));
  }

  /** Whether each call is measured as one attempt, as A66 requires of servers. */
  boolean isServer() {
    return measuring.asServer();
  }

  public boolean hasLocalities() {
    return measuring.localities();
  }

  /** The number of started attempts, including those in progress. */
  public long attempts() {
    return attempts.getOpaque();
  }

  /**
   * Durations of ended calls in nanoseconds, by status. The statistics of one loop have the buckets
   * {@link Histogram#FINE_NANOS}. The sums of the statistics of all loops have the buckets of A66.
   */
  public Map<RpcStatus.Code, Histogram> calls() {
    return calls;
  }

  public Map<Place, Map<RpcStatus.Code, Attempts>> ended() {
    return ended;
  }

  /** The number of retries per call, for calls with retries. */
  public Histogram retries() {
    return retries;
  }

  /** The number of transparent retries per call, for calls with transparent retries. */
  public Histogram transparentRetries() {
    return transparentRetries;
  }

  /** For each call with retries, the nanoseconds for which no attempt was in progress. */
  public Histogram retryDelays() {
    return retryDelays;
  }

  /** The nanoseconds of each call delay, by delay type (A121); empty if delays are not measured. */
  public Map<String, Histogram> callDelays() {
    return callDelays;
  }

  /** The nanoseconds of each attempt delay, by delay type; empty if delays are not measured. */
  public Map<String, Histogram> attemptDelays() {
    return attemptDelays;
  }
}
