package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * Requests, errors and latency of a forward for each minute of the last hour, by cluster and
 * endpoint.
 *
 * <p>Each event loop records into its own {@link TrafficBucket}s. To collect the buckets, a task on
 * each event loop hands them to the control loop and starts with new buckets, so no data is shared
 * or copied. Histograms exist only for the current minute; a past minute is reduced to a few
 * numbers.
 */
@AnyThread
public final class TrafficHistory implements CallObserver {
  static final Duration MINUTE = Duration.ofMinutes(1);

  /** The maximum number of clusters and endpoints of a forward over the hour. */
  static final int MAX_SERIES = 4_500;

  private final String forward;
  private final ControlLoop control;
  private final List<Executor> loops;
  private final List<LoopTraffic> traffic;

  // Confined to the control loop.
  private final NavigableMap<Key, Series> all =
      new TreeMap<>(Comparator.comparing(Key::cluster).thenComparing(Key::endpoint));
  private Instant begin;

  /**
   * The name of a series.
   *
   * @param endpoint the address without connection details; empty for the cluster
   */
  private record Key(String cluster, String endpoint) {}

  /**
   * @param loops the event loops, by their index
   */
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
  public boolean onEnded(CallSummary call) {
    String cluster = call.clusterName();
    if (cluster != null) {
      boolean isError = call.code() != RpcStatus.Code.OK;
      traffic
          .get(call.loop())
          .record(cluster, call.address(), call.durationNanos() / 1_000, isError);
    }
    return true;
  }

  /** Returns a view that includes the current minute; called on the control loop. */
  public CompletableFuture<TrafficView> read() {
    var view = new CompletableFuture<TrafficView>();
    gather(() -> view.complete(view()));
    return view;
  }

  private void onMinuteOver() {
    control.schedule(MINUTE, this::onMinuteOver);
    gather(this::closeMinute);
  }

  /** Collects the traffic of all event loops, then runs the given action. */
  private void gather(Runnable then) {
    control.checkInside();
    int[] missing = {loops.size()};
    for (int i = 0; i < loops.size(); i++) {
      LoopTraffic ofLoop = traffic.get(i);
      loops
          .get(i)
          .execute(
              () -> {
                Map<String, LoopTraffic.ClusterTraffic> taken = ofLoop.take();
                control.execute(
                    () -> {
                      add(taken);
                      if (--missing[0] == 0) {
                        then.run();
                      }
                    });
              });
    }
  }

  private void add(Map<String, LoopTraffic.ClusterTraffic> taken) {
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
    Instant oldest = begin.minus(MINUTE.multipliedBy(Series.KEPT - 1));
    all.values().forEach(series -> series.close(begin, oldest));
    all.values().removeIf(Series::isEmpty);
    begin = control.now();
  }

  private TrafficView view() {
    Map<String, List<TrafficView.Endpoint>> endpoints = new TreeMap<>();
    all.forEach(
        (key, series) -> {
          List<TrafficView.Endpoint> ofCluster =
              endpoints.computeIfAbsent(key.cluster(), name -> new ArrayList<>());
          if (!key.endpoint().isEmpty()) {
            ofCluster.add(new TrafficView.Endpoint(key.endpoint(), series.view(begin)));
          }
        });
    List<TrafficView.Cluster> clusters = new ArrayList<>();
    endpoints.forEach(
        (name, each) -> {
          Series whole = all.get(new Key(name, ""));
          clusters.add(
              new TrafficView.Cluster(name, whole == null ? List.of() : whole.view(begin), each));
        });
    return new TrafficView(forward, clusters);
  }
}
