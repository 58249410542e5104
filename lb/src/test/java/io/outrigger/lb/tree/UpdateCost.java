package io.outrigger.lb.tree;

import io.outrigger.base.Xxh64;
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
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.testing.LbScript;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.testing.TestCall;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What one endpoint more costs the control loop in a large cluster under detection whose endpoints
 * are all connected, or those of a subset, by policy: from the new configuration to a picker that
 * is up to date, and again when the new endpoint is READY; both together have a target. Besides,
 * what it costs when the same endpoints come in another order, to describe the tree, and to take
 * the counts of its calls for a load report.
 *
 * <p>Times are CPU time: what other processes take is not the update's cost. Where the wall clock
 * shows much more, the machine was busy, or the process collected garbage.
 *
 * <p>Run by {@code scripts/bench update [ENDPOINTS [ROUNDS [POLICY...]]]}.
 */
final class UpdateCost {
  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  /** Of an endpoint more in a cluster of ten thousand. */
  private static final long TARGET_MICROS = 1000;

  private static final XdsServer SERVER =
      new XdsServer(
          "cp.test:443",
          new XdsServer.ChannelCredentials.Insecure(),
          List.of(),
          ServerFeatures.NONE);

  private static final EndpointSet NOBODY = Samples.endpoints(List.of());

  private static final BalancingPolicy RING = new BalancingPolicy.RingHash(1024, 4096, "");

  private static final BalancingPolicy SUBSET =
      new BalancingPolicy.RandomSubsetting(1000, new BalancingPolicy.RoundRobin());

  private static final List<Case> CASES =
      List.of(
          new Case("wrr_locality(round_robin)", ClusterResource.DEFAULT_POLICY, 1, 1),
          new Case("round_robin", new BalancingPolicy.RoundRobin(), 1, 1),
          new Case("least_request", new BalancingPolicy.LeastRequest(2), 1, 1),
          new Case("ring_hash", RING, 1, 1),
          new Case("ring_hash, weights 1 to 7", RING, 1, 7),
          new Case("ring_hash, 3 localities", RING, 3, 1),
          new Case("random_subsetting(round_robin), 1000 of them", SUBSET, 1, 1));

  /** What one run measures. Endpoints are of weights 1 to {@code heaviest}. */
  private record Case(String name, BalancingPolicy policy, int localities, int heaviest) {
    boolean connectsOnDemand() {
      return policy instanceof BalancingPolicy.RingHash;
    }

    /** As many endpoints, from 0 on. */
    EndpointSet endpoints(int size) {
      return set(lists(size, OptionalInt.empty()));
    }

    /** The same, and one more that stands in their middle. */
    EndpointSet endpoints(int size, int newcomer) {
      return set(lists(size, OptionalInt.of(newcomer)));
    }

    /** The same endpoints in another order: some control planes keep none. */
    EndpointSet shuffled(int size, int seed) {
      List<List<Endpoint>> lists = lists(size, OptionalInt.empty());
      lists.forEach(each -> Collections.shuffle(each, new Random(seed)));
      return set(lists);
    }

    private List<List<Endpoint>> lists(int size, OptionalInt newcomer) {
      List<List<Endpoint>> byLocality = new ArrayList<>();
      for (int locality = 0; locality < localities; locality++) {
        byLocality.add(new ArrayList<>());
      }
      for (int i = 0; i < size; i++) {
        List<Endpoint> locality = byLocality.get(i * localities / size);
        if (newcomer.isPresent() && i == size / 2) {
          locality.add(
              endpoint(newcomer.getAsInt(), 3L * heaviest)); // a ring has a place for it, surely
        }
        locality.add(endpoint(i, 1 + i % heaviest));
      }
      return byLocality;
    }

    private EndpointSet set(List<List<Endpoint>> byLocality) {
      return Samples.endpoints(
          List.of(
              IntStream.range(0, localities)
                  .mapToObj(
                      i ->
                          new LocalityEndpoints(
                              Samples.locality("z" + i), 1 + i, byLocality.get(i)))
                  .toList()));
    }

    private static Endpoint endpoint(int number, long weight) {
      return new Endpoint(List.of(address(number)), HealthStatus.HEALTHY, weight, "");
    }
  }

  private static EndpointAddress address(int number) {
    String ip = "10.%d.%d.%d".formatted(number >> 16, number >> 8 & 255, number & 255);
    return new EndpointAddress(ip, 80);
  }

  /** Nanoseconds of CPU and of the wall clock, by round. */
  private static final class Times {
    private final long[] cpu;
    private final long[] wall;

    Times(int rounds) {
      cpu = new long[rounds];
      wall = new long[rounds];
    }

    /** Adds what {@code task} takes to what the round took before. */
    void measure(int round, Runnable task) {
      long startWall = System.nanoTime();
      long startCpu = CPU.getCurrentThreadCpuTime();
      task.run();
      cpu[round] += CPU.getCurrentThreadCpuTime() - startCpu;
      wall[round] += System.nanoTime() - startWall;
    }

    String summary() {
      return "median %d µs, 90 %% below %d µs, best %d µs; wall clock: median %d µs"
          .formatted(micros(cpu, 0.5), micros(cpu, 0.9), micros(cpu, 0), micros(wall, 0.5));
    }

    String verdict() {
      return micros(cpu, 0.5) <= TARGET_MICROS ? "met" : "MISSED";
    }

    /** Of the second half, when the code is warm. */
    private static long micros(long[] nanos, double quantile) {
      long[] warm = Arrays.copyOfRange(nanos, nanos.length / 2, nanos.length);
      Arrays.sort(warm);
      return warm[(int) (quantile * warm.length)] / 1000;
    }
  }

  private final LbScript lb = new LbScript();
  private final Case measured;
  private final int size;
  private final ClusterResource cluster;
  private final Map<Endpoint, Endpoint> known = new HashMap<>();
  private EndpointSet endpoints;

  /** The number of the endpoint that comes and goes. */
  private int newcomer;

  private UpdateCost(Case measured, int size) {
    ClusterResource plain =
        Samples.cluster(
            "a",
            new ClusterSource.Eds("a"),
            measured.policy(),
            ClusterResource.Limits.DEFAULT.maxRequests());
    this.cluster =
        Samples.reported(
            Samples.watched(plain, Optional.of(Detections.failing(10)), NOBODY).cluster(),
            new LoadReporting(SERVER, PropagatedMetrics.NONE));
    this.measured = measured;
    this.size = size;
    this.endpoints = decoded(measured.endpoints(size));
  }

  public static void main(String[] arguments) {
    int size = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 600;
    List<String> names =
        List.of(arguments).subList(Math.min(2, arguments.length), arguments.length);
    System.out.println("CPU time of the control loop, " + size + " endpoints, all READY");
    for (Case measured : CASES) {
      if (names.isEmpty() || names.contains(measured.name())) {
        System.out.println(measured.name());
        new UpdateCost(measured, size).run(rounds);
      }
    }
  }

  private void run(int rounds) {
    lb.apply(config());
    connectAll();
    newcomer = chooseNewcomer();
    var adding = new Times(rounds);
    var ready = new Times(rounds);
    var both = new Times(rounds);
    var removing = new Times(rounds);
    var shuffling = new Times(rounds);
    var views = new Times(rounds);
    var reports = new Times(rounds);
    for (int i = 0; i < rounds; i++) {
      int round = i;
      endpoints = decoded(measured.endpoints(size, newcomer)); // as they are decoded
      both.measure(i, () -> adding.measure(round, () -> lb.apply(config())));
      askFor(newcomer);
      FakeConnector.FakeAttempt attempt = lb.connector().last(address(newcomer).toString());
      both.measure(i, () -> ready.measure(round, () -> lb.loop().inside(attempt::ready)));
      connectAll();
      views.measure(i, () -> lb.describe("a"));
      lb.traffic("a", 1000, address -> false);
      reports.measure(i, () -> lb.loop().inside(() -> lb.loads().take(SERVER, anyCluster -> true)));
      endpoints = decoded(measured.endpoints(size));
      removing.measure(i, () -> lb.apply(config()));
      endpoints = decoded(measured.shuffled(size, i));
      shuffling.measure(i, () -> lb.apply(config()));
      endpoints = decoded(measured.endpoints(size));
      lb.apply(config());
    }
    System.out.println("  one more: " + adding.summary());
    System.out.println("  it is READY: " + ready.summary());
    System.out.printf(
        "  both: %s; target %d µs: %s%n", both.summary(), TARGET_MICROS, both.verdict());
    System.out.println("  one less: " + removing.summary());
    System.out.println("  all in another order: " + shuffling.summary());
    System.out.println("  described: " + views.summary());
    System.out.println("  counts taken for a load report: " + reports.summary());
  }

  /** The first that is connected to when it comes: a subset has a part of them alone. */
  private int chooseNewcomer() {
    int candidate = size;
    while (true) {
      endpoints = decoded(measured.endpoints(size, candidate));
      lb.apply(config());
      askFor(candidate);
      boolean isMember = lb.connector().count(address(candidate).toString()) > 0;
      endpoints = decoded(measured.endpoints(size));
      lb.apply(config());
      connectAll();
      if (isMember) {
        return candidate;
      }
      candidate++;
    }
  }

  private void connectAll() {
    for (int i = 0; i < size; i++) {
      askFor(i);
    }
    lb.loop().inside(() -> lb.connector().readyAll());
  }

  /** A ring connects what it has a place for, when a call comes for that. */
  private void askFor(int number) {
    if (measured.connectsOnDemand()) {
      TestCall call = TestCall.hashed(Xxh64.hash(address(number) + "_0"));
      if (lb.pick("a", call) instanceof PickResult.Use use) {
        use.subchannel().callEnded(call, CallOutcome.SUCCESS);
      }
    }
  }

  /** Equal endpoints are the same object, as the decoder of a resource has it. */
  private EndpointSet decoded(EndpointSet set) {
    return new EndpointSet(
        set.name(),
        set.priorities().stream()
            .map(localities -> localities.stream().map(this::decoded).toList())
            .toList(),
        set.drops());
  }

  private LocalityEndpoints decoded(LocalityEndpoints of) {
    return new LocalityEndpoints(
        of.locality(),
        of.weight(),
        of.endpoints().stream().map(each -> known.computeIfAbsent(each, same -> each)).toList());
  }

  private XdsConfig config() {
    return Samples.config(Set.of("a"), Samples.leaf(cluster, endpoints));
  }
}
