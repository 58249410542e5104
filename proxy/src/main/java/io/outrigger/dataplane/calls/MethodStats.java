package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.Locality;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one gRPC method on one event loop, or of all methods without statistics of
 * their own (A66, A96). Only this loop writes; {@link MethodTotals} sums up the loops.
 */
@AnyThread
final class MethodStats {
  /**
   * The maximum number of places. Attempts in further places count for {@link #OTHER}, since a
   * control plane may send any number of cluster names.
   */
  static final int MAX_PLACES = 500;

  /**
   * The maximum number of delay types. Delays of further types count for {@link #OTHER}, since
   * nested priorities can produce many types.
   */
  static final int MAX_DELAY_TYPES = 100;

  /** A66's attribute value for names that metrics do not distinguish. */
  static final String OTHER = "other";

  static final int CODES = RpcStatus.Code.values().length;

  /** The latency buckets of A66 "Units", in nanoseconds. */
  static final long[] LATENCY_NANOS =
      nanos(
          0,
          10,
          50,
          100,
          300,
          600,
          800,
          1_000,
          2_000,
          3_000,
          4_000,
          5_000,
          6_000,
          8_000,
          10_000,
          13_000,
          16_000,
          20_000,
          25_000,
          30_000,
          40_000,
          50_000,
          65_000,
          80_000,
          100_000,
          130_000,
          160_000,
          200_000,
          250_000,
          300_000,
          400_000,
          500_000,
          650_000,
          800_000,
          1_000_000,
          2_000_000,
          5_000_000,
          10_000_000,
          20_000_000,
          50_000_000,
          100_000_000);

  /** The size buckets of A66 "Units". */
  static final long[] SIZE_BYTES = {
    0, 1L << 10, 1L << 11, 1L << 12, 1L << 14, 1L << 16, 1L << 18, 1L << 20, 1L << 22, 1L << 24,
    1L << 26, 1L << 28, 1L << 30, 1L << 32
  };

  /** The buckets of A96 for the number of retries per call. */
  static final long[] RETRIES = {1, 2, 3, 4, 5};

  /** The buckets of A96 for the number of transparent retries per call. */
  static final long[] TRANSPARENT_RETRIES = {1, 2, 3, 4, 5, 10};

  /** Histograms of the ended attempts of one place with one status. */
  static final class CallAttempts {
    final BoundedHistogram durations = new BoundedHistogram(LATENCY_NANOS);
    final BoundedHistogram sent = new BoundedHistogram(SIZE_BYTES);
    final BoundedHistogram received = new BoundedHistogram(SIZE_BYTES);
  }

  /** The cluster and locality of attempts. */
  record Place(String cluster, @Nullable Locality locality) {
    // Written by hand, since calls that alternate between clusters look up places. The generated
    // methods of a record use method handles, which cost more than all other counting of a call
    // until C2 compiles them.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Place that
          && cluster.equals(that.cluster)
          && Objects.equals(locality, that.locality);
    }

    @Override
    public int hashCode() {
      return 31 * cluster.hashCode() + Objects.hashCode(locality);
    }
  }

  final BoundedHistogram retries = new BoundedHistogram(RETRIES);
  final BoundedHistogram transparentRetries = new BoundedHistogram(TRANSPARENT_RETRIES);
  final BoundedHistogram retryDelays = new BoundedHistogram(LATENCY_NANOS);

  /** Durations of ended calls, by status. */
  final AtomicReferenceArray<LatencyHistogram> calls = new AtomicReferenceArray<>(CODES);

  /** Ended attempts, by place and by status. */
  final Map<Place, AtomicReferenceArray<CallAttempts>> places = new ConcurrentHashMap<>();

  /** Delays of calls by type (A121); null when delays of calls are not measured. */
  final @Nullable Map<String, BoundedHistogram> callDelays;

  /** Delays of attempts by type (A121); null when delays of attempts are not measured. */
  final @Nullable Map<String, BoundedHistogram> attemptDelays;

  private final boolean localities;
  private final AtomicLongArray attemptsStarted = new AtomicLongArray(1);

  // The place of the previous call, cached since most calls go to the same place. Confined to the
  // event loop.
  private @Nullable String lastCluster;
  private @Nullable Locality lastLocality;
  private @Nullable AtomicReferenceArray<CallAttempts> last;

  MethodStats(Measuring measuring) {
    localities = measuring.localities();
    callDelays = measuring.callDelays() ? new ConcurrentHashMap<>() : null;
    attemptDelays = measuring.attemptDelays() ? new ConcurrentHashMap<>() : null;
  }

  /** Whether {@link #attemptEnded} uses the locality. */
  boolean tellsLocalities() {
    return localities;
  }

  /** Converts {@code place} to the form that readers receive. */
  AttemptPlace told(Place place) {
    Locality locality = place.locality();
    return new AttemptPlace(
        place.cluster(),
        localities ? Optional.of(locality == null ? "" : locality.label()) : Optional.empty());
  }

  private static long[] nanos(long... micros) {
    long[] nanos = micros.clone();
    for (int i = 0; i < nanos.length; i++) {
      nanos[i] *= 1_000;
    }
    return nanos;
  }

  void attemptStarted() {
    attemptsStarted.setOpaque(0, attemptsStarted.getPlain(0) + 1);
  }

  long attemptsStarted() {
    return attemptsStarted.getOpaque(0);
  }

  void callDelayed(String type, long nanos) {
    delayed(callDelays, type, nanos);
  }

  void attemptDelayed(String type, long nanos) {
    delayed(attemptDelays, type, nanos);
  }

  private static void delayed(
      @Nullable Map<String, BoundedHistogram> delays, String type, long nanos) {
    if (delays != null) {
      BoundedHistogram known = delays.get(type);
      if (known == null) {
        String name = delays.size() < MAX_DELAY_TYPES ? type : OTHER;
        known = delays.computeIfAbsent(name, t -> new BoundedHistogram(LATENCY_NANOS));
      }
      known.record(nanos);
    }
  }

  void callEnded(RpcStatus.Code code, long nanos) {
    LatencyHistogram histogram = calls.getPlain(code.number());
    if (histogram == null) {
      histogram = new LatencyHistogram();
      calls.setRelease(code.number(), histogram);
    }
    histogram.record(nanos);
  }

  /**
   * @param locality the locality; null when unknown, or when {@link #tellsLocalities} is false
   * @param sent the number of message bytes sent
   * @param received the number of message bytes received
   */
  void attemptEnded(
      String cluster,
      @Nullable Locality locality,
      RpcStatus.Code code,
      long nanos,
      long sent,
      long received) {
    AtomicReferenceArray<CallAttempts> byCode = of(cluster, locality);
    CallAttempts attempts = byCode.getPlain(code.number());
    if (attempts == null) {
      attempts = new CallAttempts();
      byCode.setRelease(code.number(), attempts);
    }
    attempts.durations.record(nanos);
    attempts.sent.record(sent);
    attempts.received.record(received);
  }

  @SuppressWarnings("ReferenceEquality") // a false mismatch only costs a lookup
  private AtomicReferenceArray<CallAttempts> of(String cluster, @Nullable Locality locality) {
    AtomicReferenceArray<CallAttempts> found = last;
    if (found == null || cluster != lastCluster || locality != lastLocality) {
      found = of(new Place(cluster, locality));
      lastCluster = cluster;
      lastLocality = locality;
      last = found;
    }
    return found;
  }

  private AtomicReferenceArray<CallAttempts> of(Place place) {
    AtomicReferenceArray<CallAttempts> found = places.get(place);
    return found != null
        ? found
        : places.computeIfAbsent(
            places.size() < MAX_PLACES ? place : new Place(OTHER, null),
            p -> new AtomicReferenceArray<>(CODES));
  }
}
