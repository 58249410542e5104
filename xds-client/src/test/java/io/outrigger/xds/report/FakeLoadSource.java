package io.outrigger.xds.report;

import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.load.ClusterLoad;
import io.outrigger.config.load.LoadSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Refused requests by cluster, as many as the test says. */
final class FakeLoadSource implements LoadSource {
  private final Map<XdsServer, Map<String, Long>> refused = new LinkedHashMap<>();
  private Runnable listener = () -> {};

  /** {@code requests} of {@code cluster} are refused. On the control loop. */
  void count(XdsServer server, String cluster, long requests) {
    refused
        .computeIfAbsent(server, absent -> new LinkedHashMap<>())
        .merge(cluster, requests, Long::sum);
    listener.run();
  }

  /** Nothing is counted for {@code server} any more. On the control loop. */
  void forget(XdsServer server) {
    refused.remove(server);
    listener.run();
  }

  /** What waits for {@code server}. */
  Map<String, Long> waiting(XdsServer server) {
    return Map.copyOf(refused.getOrDefault(server, Map.of()));
  }

  @Override
  public Set<XdsServer> servers() {
    return Set.copyOf(refused.keySet());
  }

  @Override
  public void onServersChanged(Runnable changed) {
    listener = changed;
  }

  @Override
  public List<ClusterLoad> take(XdsServer server, Predicate<String> asked) {
    List<ClusterLoad> taken = new ArrayList<>();
    Map<String, Long> counts = refused.getOrDefault(server, Map.of());
    counts.replaceAll(
        (cluster, count) -> {
          if (!asked.test(cluster)) {
            return count;
          }
          taken.add(new ClusterLoad(cluster, cluster, Duration.ZERO, Map.of(), count, List.of()));
          return 0L;
        });
    return taken;
  }
}
