package io.outrigger.dataplane.calls;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.route.RequestView;
import io.outrigger.dataplane.filter.LocalReason;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * The counters of one forward's calls on one event loop; only that loop writes the counters, except
 * {@link #onLost}. Readers use {@link Totals}, the sums over all event loops.
 */
@AnyThread
@SuppressWarnings("EnumOrdinal") // the indices of counters are never stored or sent
public final class CallStats {
  private static final int GRPC = CallCounter.values().length;
  private static final int HTTP = GRPC + RpcStatus.Code.values().length;
  private static final int LOCAL = HTTP + 6;
  private static final int COUNTERS = LOCAL + LocalReason.values().length;

  private final int loop;
  private final AtomicLongArray counters = new AtomicLongArray(COUNTERS);

  /** Counts an unobserved call; any thread may run this task. */
  final Runnable onLost = () -> counters.getAndIncrement(CallCounter.UNOBSERVED.ordinal());

  /** The durations of requests that are not gRPC. */
  private final Histogram notGrpc = new Histogram(Histogram.FINE_NANOS);

  /** The statistics of all methods that are not in {@link #byMethod}. */
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

  public void count(CallCounter counter) {
    add(counter.ordinal(), 1);
  }

  void count(CallCounter counter, long more) {
    add(counter.ordinal(), more);
  }

  void grpcStatus(RpcStatus.Code code) {
    add(GRPC + code.number(), 1);
  }

  void httpStatus(int status) {
    add(HTTP + Math.min(5, Math.max(0, status / 100)), 1);
  }

  void local(LocalReason reason) {
    add(LOCAL + reason.ordinal(), 1);
  }

  void notGrpcEnded(long nanos) {
    notGrpc.record(nanos);
  }

  private void add(int slot, long more) {
    counters.setOpaque(slot, counters.getPlain(slot) + more);
  }

  /** A snapshot of the counters of one forward's calls, summed over all event loops. */
  @AnyThread
  public static final class Totals {
    private final long[] counters = new long[COUNTERS];
    private final Histogram durations = new Histogram(Histogram.FINE_NANOS);
    private final Map<String, MethodStats> methods = new TreeMap<>();
    private final int queued;

    public Totals(Iterable<CallStats> loops, int queued) {
      this.queued = queued;
      loops.forEach(this::add);
    }

    private void add(CallStats loop) {
      for (int i = 0; i < COUNTERS; i++) {
        counters[i] += loop.counters.getOpaque(i);
      }
      durations.add(loop.notGrpc);
      add(MethodStats.OTHER, loop.other);
      loop.byMethod.forEach(this::add);
    }

    private void add(String method, MethodStats stats) {
      methods.computeIfAbsent(method, name -> stats.empty()).add(stats);
      stats.calls().values().forEach(durations::add);
    }

    /** Statistics by gRPC method; methods without their own metrics share one entry. */
    public Map<String, MethodStats> methods() {
      return methods;
    }

    public long count(CallCounter counter) {
      return counters[counter.ordinal()];
    }

    public long active() {
      return Math.max(0, count(CallCounter.STARTED) - count(CallCounter.ENDED));
    }

    /** Requests that wait for configuration, picks or streams. */
    public int queued() {
      return queued;
    }

    /** The number of gRPC calls by status. Statuses without calls are left out. */
    public Map<String, Long> byGrpcStatus() {
      return labelled(GRPC, HTTP, number -> RpcStatus.Code.values()[number].toString());
    }

    /**
     * The numbers of non-gRPC requests; the key is the class of the HTTP status, such as {@code
     * 2xx}. Requests that were reset before the response have no HTTP status.
     */
    public Map<String, Long> byHttpClass() {
      return labelled(HTTP + 1, LOCAL, index -> index + 1 + "xx");
    }

    /** The number of requests that the proxy answered itself, by reason. */
    public Map<String, Long> byLocalReason() {
      return labelled(LOCAL, COUNTERS, slot -> LocalReason.values()[slot].word());
    }

    /** Returns the nonzero counters of an index range, with their labels as keys. */
    private Map<String, Long> labelled(int from, int to, IntFunction<String> label) {
      Map<String, Long> counts = new LinkedHashMap<>();
      for (int i = from; i < to; i++) {
        if (counters[i] > 0) {
          counts.put(label.apply(i - from), counters[i]);
        }
      }
      return counts;
    }

    /** The number of successful requests: gRPC status OK, or HTTP status below 500. */
    public long succeeded() {
      return counters[GRPC] + Arrays.stream(counters, HTTP + 1, HTTP + 5).sum();
    }

    /** The durations of all ended calls, in the buckets {@link Histogram#FINE_NANOS}. */
    public Histogram durations() {
      return durations;
    }
  }
}
