package io.outrigger.observe.history;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.calls.CallObserver;
import io.outrigger.dataplane.calls.CallSummary;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
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

  /** The maximum number of endpoints of a forward over the hour. */
  static final int MAX_ENDPOINTS = 4_000;

  private final String forward;
  private final ControlLoop control;
  private final List<Executor> loops;
  private final List<LoopTraffic> traffic;

  // Confined to the control loop.
  private final Map<String, Tracked> clusters = new TreeMap<>();
  private int endpoints;
  private Instant begin;

  /** The series of a cluster and of its endpoints. */
  private static final class Tracked {
    final Series all = new Series();
    final Map<EndpointAddress, Series> endpoints = new HashMap<>();
  }

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

  /**
   * Passes a view that includes the current minute to {@code reader}; called on the control loop.
   */
  public void view(Consumer<TrafficView> reader) {
    gather(() -> reader.accept(view()));
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
        (name, recorded) -> {
          Tracked cluster = clusters.get(name);
          if (cluster == null) {
            if (clusters.size() >= LoopTraffic.MAX_CLUSTERS) {
              return;
            }
            cluster = new Tracked();
            clusters.put(name, cluster);
          }
          cluster.all.add(recorded.all);
          for (var entry : recorded.endpoints.entrySet()) {
            EndpointAddress address = entry.getKey().bare(); // without connection details
            Series series = cluster.endpoints.get(address);
            if (series == null && endpoints < MAX_ENDPOINTS) {
              endpoints++;
              series = new Series();
              cluster.endpoints.put(address, series);
            }
            if (series != null) {
              series.add(entry.getValue());
            }
          }
        });
  }

  private void closeMinute() {
    Instant oldest = begin.minus(MINUTE.multipliedBy(Series.KEPT - 1));
    for (Tracked cluster : clusters.values()) {
      cluster.all.close(begin, oldest);
      cluster.endpoints.values().forEach(series -> series.close(begin, oldest));
      int before = cluster.endpoints.size();
      cluster.endpoints.values().removeIf(Series::isEmpty);
      endpoints -= before - cluster.endpoints.size();
    }
    clusters.values().removeIf(cluster -> cluster.all.isEmpty() && cluster.endpoints.isEmpty());
    begin = control.now();
  }

  private TrafficView view() {
    List<TrafficView.Cluster> view = new ArrayList<>();
    clusters.forEach(
        (name, cluster) ->
            view.add(
                new TrafficView.Cluster(
                    name,
                    cluster.all.view(begin),
                    cluster.endpoints.entrySet().stream()
                        .map(
                            each ->
                                new TrafficView.Endpoint(
                                    each.getKey().toString(), each.getValue().view(begin)))
                        .sorted(Comparator.comparing(TrafficView.Endpoint::address))
                        .toList())));
    return new TrafficView(forward, view);
  }
}
