package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.LoopConfined;
import io.outrigger.base.PlainText;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallSummary;
import io.outrigger.dataplane.calls.MethodStats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.IntCountsHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Requests, errors and latency of a forward for each minute of the last hour, by cluster and
 * endpoint.
 *
 * <p>Each event loop records into its own {@link TrafficBucket}s. At a collection, each event loop
 * hands its buckets to the control loop and starts new buckets, so that no data is shared or
 * copied. Histograms exist only for the current minute; a past minute is reduced to a few numbers.
 */
@AnyThread
public final class TrafficHistory implements CallObserver {
  static final Duration MINUTE = Duration.ofMinutes(1);

  private static final int MINUTES_KEPT = 60;

  /** An event loop counts the calls of at most this many clusters between two collections. */
  static final int MAX_CLUSTERS = 500;

  static final int MAX_ENDPOINTS = 2_000;

  /** The maximum number of series of a forward; each cluster and each endpoint has one series. */
  private static final int MAX_SERIES = 4_500;

  /**
   * The number of significant digits of latencies. With one digit, values have an error of at most
   * 6 %, and a histogram takes a few hundred bytes.
   */
  private static final int DIGITS = 1;

  private static final long MAX_MICROS = 3_600_000_000L;

  private final String forward;
  private final ControlLoop control;
  private final List<Executor> loops;
  private final List<LoopTraffic> traffic;

  // Confined to the control loop.
  private final NavigableMap<Key, Series> all = new TreeMap<>();
  private Instant begin;

  /**
   * @param endpoint the endpoint's {@code IP:port}, whatever its proxy settings and TLS settings;
   *     empty for the whole cluster
   */
  private record Key(String cluster, String endpoint) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = cluster.compareTo(other.cluster);
      return order == 0 ? endpoint.compareTo(other.endpoint) : order;
    }
  }

  public TrafficHistory(String forward, ControlLoop control, List<? extends Executor> loops) {
    this.forward = forward;
    this.control = control;
    this.loops = List.copyOf(loops);
    this.traffic = Stream.generate(LoopTraffic::new).limit(loops.size()).toList();
    this.begin = control.now();
  }

  /** Starts the first minute; called on the control loop. */
  public void start() {
    control.checkInside();
    begin = control.now();
    control.schedule(MINUTE, this::onMinuteOver);
  }

  @Override
  public void onEnded(CallSummary call) {
    String cluster = call.clusterName();
    if (cluster != null) {
      boolean isError = call.code() != RpcStatus.Code.OK;
      traffic
          .get(call.loop())
          .record(
              PlainText.shortened(cluster, MethodStats.MAX_NAMES),
              call.address(),
              call.durationNanos() / 1_000,
              isError);
    }
  }

  /**
   * Returns a view that includes the current minute; called on the control loop.
   *
   * @param cluster the only cluster in the view; empty for all clusters
   * @param endpoint the only endpoint in the view; empty for all endpoints
   */
  public CompletableFuture<View> read(Optional<String> cluster, Optional<String> endpoint) {
    return gather().thenApply(all -> view(cluster, endpoint));
  }

  private void onMinuteOver() {
    control.schedule(MINUTE, this::onMinuteOver);
    var unused = gather().thenRun(() -> control.execute(this::closeMinute));
  }

  /** Collects the traffic of all event loops; completes on the control loop. */
  private CompletableFuture<Void> gather() {
    control.checkInside();
    return CompletableFuture.allOf(
        IntStream.range(0, loops.size())
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(traffic.get(i)::take, loops.get(i))
                        .thenAcceptAsync(this::add, control))
            .toArray(CompletableFuture<?>[]::new));
  }

  private void add(Map<String, ClusterTraffic> taken) {
    taken.forEach(
        (cluster, recorded) -> {
          add(new Key(cluster, ""), recorded.all);
          recorded.endpoints.forEach(
              (address, bucket) -> add(new Key(cluster, address.bare().toString()), bucket));
        });
  }

  private void add(Key key, TrafficBucket bucket) {
    if (all.size() < MAX_SERIES || all.containsKey(key)) {
      all.computeIfAbsent(key, k -> new Series()).add(bucket);
    }
  }

  private void closeMinute() {
    Instant oldest = begin.minus(MINUTE.multipliedBy(MINUTES_KEPT - 1));
    all.values().forEach(series -> series.close(begin, oldest));
    all.values().removeIf(Series::isEmpty);
    begin = control.now();
  }

  private View view(Optional<String> only, Optional<String> onlyEndpoint) {
    Map<String, List<View.Endpoint>> endpoints = new TreeMap<>();
    all.forEach(
        (key, series) -> {
          List<View.Endpoint> ofCluster =
              endpoints.computeIfAbsent(key.cluster(), name -> new ArrayList<>());
          if (!key.endpoint().isEmpty() && onlyEndpoint.map(key.endpoint()::equals).orElse(true)) {
            ofCluster.add(new View.Endpoint(key.endpoint(), series.view(begin)));
          }
        });
    only.ifPresent(name -> endpoints.keySet().retainAll(List.of(name)));
    List<View.Cluster> clusters = new ArrayList<>();
    endpoints.forEach(
        (name, each) -> {
          Series whole = all.get(new Key(name, ""));
          clusters.add(new View.Cluster(name, whole == null ? List.of() : whole.view(begin), each));
        });
    return new View(forward, clusters);
  }

  /** The traffic that one event loop has recorded since the last {@link #take}. */
  @LoopConfined
  private static final class LoopTraffic {
    private Map<String, ClusterTraffic> clusters = new HashMap<>();
    private int endpoints;

    /**
     * Records a call. A call to an endpoint beyond {@link #MAX_ENDPOINTS} counts only for its
     * cluster. A call to a cluster beyond {@link #MAX_CLUSTERS} is not counted.
     */
    void record(String cluster, @Nullable EndpointAddress address, long micros, boolean isError) {
      ClusterTraffic traffic = clusters.get(cluster);
      if (traffic == null) {
        if (clusters.size() >= MAX_CLUSTERS) {
          return;
        }
        traffic = new ClusterTraffic();
        clusters.put(cluster, traffic);
      }
      traffic.all.record(micros, isError);
      if (address == null) {
        return;
      }
      TrafficBucket endpoint = traffic.endpoints.get(address);
      if (endpoint == null && endpoints < MAX_ENDPOINTS) {
        endpoints++;
        endpoint = new TrafficBucket();
        traffic.endpoints.put(address, endpoint);
      }
      if (endpoint != null) {
        endpoint.record(micros, isError);
      }
    }

    Map<String, ClusterTraffic> take() {
      Map<String, ClusterTraffic> taken = clusters;
      clusters = new HashMap<>();
      endpoints = 0;
      return taken;
    }
  }

  private static final class ClusterTraffic {
    private final TrafficBucket all = new TrafficBucket();
    private final Map<EndpointAddress, TrafficBucket> endpoints = new HashMap<>();
  }

  /** The minutes with calls of one cluster or endpoint, including the current minute. */
  @ControlConfined
  private static final class Series {
    private final ArrayDeque<View.Minute> minutes = new ArrayDeque<>(1);
    private @Nullable TrafficBucket current;

    void add(TrafficBucket bucket) {
      if (current == null) {
        current = bucket;
      } else {
        current.add(bucket);
      }
    }

    /** Closes the current minute, which started at the given time. */
    void close(Instant begin, Instant oldest) {
      if (current != null) {
        minutes.add(current.summary(begin));
        current = null;
      }
      while (!minutes.isEmpty() && minutes.getFirst().time().isBefore(oldest)) {
        minutes.remove();
      }
    }

    boolean isEmpty() {
      return minutes.isEmpty() && current == null;
    }

    /**
     * Returns the minutes, the oldest first. The last element may be the current minute, which
     * began at the given time.
     */
    List<View.Minute> view(Instant begin) {
      List<View.Minute> view = new ArrayList<>(minutes);
      if (current != null) {
        view.add(current.summary(begin));
      }
      return List.copyOf(view);
    }
  }

  /**
   * The calls of one cluster or endpoint within a period. Confined to the thread that currently
   * owns the bucket.
   */
  @LoopConfined
  private static final class TrafficBucket {
    private final IntCountsHistogram latency = new IntCountsHistogram(DIGITS);
    private long errors;

    void record(long micros, boolean isError) {
      latency.recordValue(Math.max(0, Math.min(micros, MAX_MICROS)));
      if (isError) {
        errors++;
      }
    }

    void add(TrafficBucket other) {
      latency.add(other.latency);
      errors += other.errors;
    }

    View.Minute summary(Instant begin) {
      return new View.Minute(
          begin, latency.getTotalCount(), errors, millis(50), millis(90), millis(99), millis(100));
    }

    private double millis(double percentile) {
      return latency.getValueAtPercentile(percentile) / 1e3;
    }
  }

  /**
   * The traffic of a forward for each minute of the last hour. The components of this record and of
   * the nested records are the JSON members of the reply of {@code /history}. Minutes without calls
   * are omitted; the last element may be the current minute.
   */
  public record View(String name, List<Cluster> clusters) {
    public View {
      clusters = List.copyOf(clusters);
    }

    public record Cluster(String name, List<Minute> minutes, List<Endpoint> endpoints) {
      public Cluster {
        minutes = List.copyOf(minutes);
        endpoints = List.copyOf(endpoints);
      }
    }

    /** An endpoint, with the calls whose last attempt used this endpoint. */
    public record Endpoint(String address, List<Minute> minutes) {
      public Endpoint {
        minutes = List.copyOf(minutes);
      }
    }

    /**
     * The calls that ended within one minute. Latencies are in milliseconds, to within 6 %.
     *
     * @param time the start of the minute
     */
    public record Minute(
        Instant time,
        long requests,
        long errors,
        double p50Ms,
        double p90Ms,
        double p99Ms,
        double maxMs) {}
  }
}
