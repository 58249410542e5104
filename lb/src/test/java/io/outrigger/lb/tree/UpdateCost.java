package io.outrigger.lb.tree;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Measures what one endpoint more costs the control loop in a large cluster under detection, from
 * the new configuration to the picker, what it costs to describe the tree, and to take the counts
 * of its calls for a load report. To be run by hand: {@code UpdateCost [endpoints] [rounds]}.
 */
final class UpdateCost {
  /** Not the wall clock: what other processes take is not the update's cost. */
  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  private static final XdsServer SERVER =
      new XdsServer(
          "cp.test:443",
          new XdsServer.ChannelCredentials.Insecure(),
          List.of(),
          ServerFeatures.NONE);

  private UpdateCost() {}

  public static void main(String[] arguments) {
    int size = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 400;
    var lb = new LbScript();
    lb.apply(config(size));
    lb.loop().inside(() -> lb.connector().readyAll());
    long[] updates = new long[rounds];
    long[] views = new long[rounds];
    long[] reports = new long[rounds];
    for (int round = 0; round < rounds; round++) {
      XdsConfig next = config(size + (round + 1) % 2);
      long start = CPU.getCurrentThreadCpuTime();
      lb.apply(next);
      updates[round] = CPU.getCurrentThreadCpuTime() - start;
      lb.loop().inside(() -> lb.connector().readyAll());
      start = CPU.getCurrentThreadCpuTime();
      lb.describe("a");
      views[round] = CPU.getCurrentThreadCpuTime() - start;
      lb.traffic("a", 1000, address -> false);
      start = CPU.getCurrentThreadCpuTime();
      lb.loop().inside(() -> lb.loads().take(SERVER, cluster -> true));
      reports[round] = CPU.getCurrentThreadCpuTime() - start;
    }
    System.out.println(size + " endpoints, one more or less: " + summary(updates));
    System.out.println(size + " endpoints, described: " + summary(views));
    System.out.println(size + " endpoints, counts taken for a load report: " + summary(reports));
  }

  /** Of the second half, when the code is warm. */
  private static String summary(long[] nanos) {
    long[] warm = Arrays.copyOfRange(nanos, nanos.length / 2, nanos.length);
    Arrays.sort(warm);
    return "median %d µs, 90 %% below %d µs, best %d µs"
        .formatted(warm[warm.length / 2] / 1000, warm[warm.length * 9 / 10] / 1000, warm[0] / 1000);
  }

  /** As a decoder makes it: nothing is shared with the configuration before. */
  private static XdsConfig config(int size) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      var address =
          new EndpointAddress("10.%d.%d.%d".formatted(i >> 16, i >> 8 & 255, i & 255), 80);
      endpoints.add(new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, ""));
    }
    ClusterConfig.Leaf leaf =
        Samples.watched(
            "a",
            Detections.failing(10),
            Samples.priorities(new LocalityEndpoints(Samples.locality("z"), 1, endpoints)));
    var reporting = new LoadReporting(SERVER, PropagatedMetrics.NONE);
    return Samples.config(
        Set.of("a"),
        new ClusterConfig.Leaf(
            leaf.cluster().reportedTo(reporting), leaf.endpoints(), leaf.resolutionNote()));
  }
}
