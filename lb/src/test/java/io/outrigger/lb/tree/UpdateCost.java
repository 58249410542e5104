package io.outrigger.lb.tree;

import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.LoadReporting;
import io.outrigger.config.cluster.PropagatedMetrics;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.XdsConfig;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Measures what one endpoint more costs the control loop in a large cluster under detection whose
 * endpoints are all connected, by policy: from the new configuration to a picker that is up to
 * date, and again when the new endpoint is READY. Besides, what it costs to describe the tree, and
 * to take the counts of its calls for a load report. To be run by hand: {@code UpdateCost
 * [endpoints] [rounds]}.
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

  private static final EndpointSet NOBODY = Samples.endpoints(List.of());

  private final LbScript lb = new LbScript();
  private final ClusterResource cluster;
  private final int rounds;
  private EndpointSet endpoints;

  private UpdateCost(BalancingPolicy policy, int size, int rounds) {
    ClusterResource plain =
        Samples.cluster(
            "a", new ClusterSource.Eds("a"), policy, ClusterResource.DEFAULT_MAX_REQUESTS);
    this.cluster =
        Samples.watched(plain, Optional.of(Detections.failing(10)), NOBODY)
            .cluster()
            .reportedTo(new LoadReporting(SERVER, PropagatedMetrics.NONE));
    this.rounds = rounds;
    this.endpoints = endpoints(size);
  }

  public static void main(String[] arguments) {
    int size = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200;
    Map<String, BalancingPolicy> policies = new LinkedHashMap<>();
    policies.put("wrr_locality(round_robin)", BalancingPolicy.DEFAULT);
    policies.put("round_robin", new BalancingPolicy.RoundRobin());
    policies.put("least_request", new BalancingPolicy.LeastRequest(2));
    policies.put("ring_hash", new BalancingPolicy.RingHash(1024, 4096, ""));
    System.out.println("CPU time of the control loop, " + size + " endpoints, all READY");
    policies.forEach(
        (name, policy) -> {
          System.out.println(name);
          new UpdateCost(policy, size, rounds).run();
        });
  }

  private void run() {
    int size = endpoints.priorities().get(0).get(0).endpoints().size();
    lb.apply(config());
    if (cluster.policy() instanceof BalancingPolicy.RingHash) {
      for (long i = 0; i < 5000; i++) { // it connects what calls ask for
        lb.pick("a", TestCall.hashed(i * 0x9e3779b97f4a7c15L));
      }
    }
    lb.loop().inside(() -> lb.connector().readyAll());
    long[] adding = new long[rounds];
    long[] ready = new long[rounds];
    long[] both = new long[rounds];
    long[] removing = new long[rounds];
    long[] views = new long[rounds];
    long[] reports = new long[rounds];
    for (int round = 0; round < rounds; round++) {
      endpoints = endpoints(size + 1).sharing(endpoints); // as they come from the decoder
      adding[round] = cpu(() -> lb.apply(config()));
      if (!(cluster.policy() instanceof BalancingPolicy.RingHash)) {
        FakeConnector.FakeAttempt attempt = lb.connector().newest();
        ready[round] = cpu(() -> lb.loop().inside(attempt::ready));
      }
      both[round] = adding[round] + ready[round];
      views[round] = cpu(() -> lb.describe("a"));
      lb.traffic("a", 1000, address -> false);
      reports[round] =
          cpu(() -> lb.loop().inside(() -> lb.loads().take(SERVER, anyCluster -> true)));
      endpoints = endpoints(size).sharing(endpoints);
      removing[round] = cpu(() -> lb.apply(config()));
    }
    System.out.println("  one more: " + summary(adding));
    System.out.println("  it is READY: " + summary(ready));
    System.out.println("  both: " + summary(both));
    System.out.println("  one less: " + summary(removing));
    System.out.println("  described: " + summary(views));
    System.out.println("  counts taken for a load report: " + summary(reports));
  }

  private static long cpu(Runnable task) {
    long start = CPU.getCurrentThreadCpuTime();
    task.run();
    return CPU.getCurrentThreadCpuTime() - start;
  }

  /** Of the second half, when the code is warm. */
  private static String summary(long[] nanos) {
    long[] warm = Arrays.copyOfRange(nanos, nanos.length / 2, nanos.length);
    Arrays.sort(warm);
    return "median %d µs, 90 %% below %d µs, best %d µs"
        .formatted(warm[warm.length / 2] / 1000, warm[warm.length * 9 / 10] / 1000, warm[0] / 1000);
  }

  private XdsConfig config() {
    return Samples.config(Set.of("a"), Samples.leaf(cluster, endpoints));
  }

  private static EndpointSet endpoints(int size) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      var address =
          new EndpointAddress("10.%d.%d.%d".formatted(i >> 16, i >> 8 & 255, i & 255), 80);
      endpoints.add(new Endpoint(List.of(address), HealthStatus.HEALTHY, 1, ""));
    }
    return Samples.priorities(new LocalityEndpoints(Samples.locality("z"), 1, endpoints));
  }
}
