package io.outrigger.lb.simulation;

import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.simulation.Scenario.Fleet;
import io.outrigger.lb.simulation.SimulatedServer.Condition;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.lb.view.OutlierEvent;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One cluster as one sidecar sees it, with servers of its own, in virtual time.
 *
 * @param rate calls per second, to all servers together
 * @param noise the share of calls that fail at a server that is well
 */
record Simulation(
    BalancingPolicy policy,
    Optional<OutlierDetection> detection,
    int servers,
    double rate,
    double noise,
    long seed) {
  private static final String CLUSTER = "simulated";
  private static final double CAPACITY = 100;
  private static final long SECOND = 1_000_000_000L;

  /** Loads are compared from here, when all is connected and reports have come in. */
  private static final long SETTLED_SECOND = 30;

  /** Runs a scenario to its end. */
  Result run(Scenario scenario) {
    var run = new Run(scenario);
    Scenario.Times times = scenario.times();
    Traffic traffic = run.start();
    traffic.run(rate, SETTLED_SECOND);
    double[] before = run.loads();
    traffic.run(rate, times.fault());
    double[] after = run.loads();
    traffic.run(rate, times.last());
    return run.result(
        imbalance(before, after, scenario.fleet() == Fleet.FAILOVER ? servers / 2 : servers));
  }

  /** The load of the most loaded server in units of the mean load of the first {@code count}. */
  private static double imbalance(double[] before, double[] after, int count) {
    double sum = 0;
    double most = 0;
    for (int i = 0; i < count; i++) {
      sum += after[i] - before[i];
      most = Math.max(most, after[i] - before[i]);
    }
    return most * count / sum;
  }

  /**
   * What came of a run. Seconds are from the beginning of the trouble, infinite for never.
   *
   * @param calls all that were made
   * @param errorRate of the calls that began when the trouble did, or later
   * @param recovery until less than 1 % of the calls failed, for 25 s at least
   * @param troubled how many servers were in trouble
   * @param ejected how many of them were ejected
   * @param ejection until the first of them was
   * @param falseEjections of servers that were not in trouble
   * @param imbalance the most loaded server in units of the mean, before the trouble
   */
  record Result(
      long calls,
      double errorRate,
      double recovery,
      long troubled,
      long ejected,
      double ejection,
      long falseEjections,
      double imbalance) {}

  /** The state of one run. */
  private final class Run {
    private final Scenario scenario;
    private final FakeControlLoop loop = new FakeControlLoop();
    private final SimulatedNetwork network = new SimulatedNetwork(loop);
    private final List<SimulatedServer> backends = new ArrayList<>();
    private final Tally tally;
    private final List<Ejection> ejections = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom(seed);

    /** An ejection that comes this long after the trouble is still for the trouble's sake. */
    private final Duration aftermath =
        detection.map(OutlierDetection::interval).orElse(Duration.ZERO).plusSeconds(1);

    private record Ejection(long nanos, SimulatedServer server, boolean deserved) {}

    Run(Scenario scenario) {
      this.scenario = scenario;
      this.tally = new Tally(scenario.times().last());
    }

    Traffic start() {
      for (int i = 0; i < servers; i++) {
        double capacity = scenario.fleet() == Fleet.UNEVEN && i % 2 == 1 ? CAPACITY / 3 : CAPACITY;
        var server = new SimulatedServer(address(i).toString(), capacity, noise, random.split());
        backends.add(server);
        network.add(address(i), server);
      }
      SplittableRandom draws = random.split();
      RandomSource source = (bound, purpose) -> draws.nextLong(bound);
      var manager =
          new ClusterManager(
              new LbContext(loop, source, this::onEvent, 1, false),
              network,
              new CircuitBreakers(),
              new LoadRegistry(loop),
              false,
              new Deaf());
      List<ClusterHandle> handles = new ArrayList<>();
      loop.inside(
          () ->
              handles.addAll(
                  manager.apply(Samples.config(Set.of(CLUSTER), cluster(scenario))).values()));
      scenario.steps().forEach(this::schedule);
      return new Traffic(loop, handles.get(0), random.split(), tally);
    }

    private void schedule(Scenario.Step step) {
      SimulatedServer server = backends.get(step.server());
      loop.schedule(
          Duration.ofSeconds(step.second()),
          () -> {
            server.become(step.condition(), loop.nanoTime());
            if (step.condition().equals(Condition.DOWN)) {
              network.cut(server);
            }
          });
    }

    private void onEvent(LbEvent event) {
      if (event instanceof OutlierEvent.Ejected ejected) {
        SimulatedServer server = network.server(ejected.address());
        boolean deserved = server.isBad(loop.nanoTime(), aftermath.toNanos());
        ejections.add(new Ejection(loop.nanoTime(), server, deserved));
      }
    }

    double[] loads() {
      return backends.stream().mapToDouble(SimulatedServer::load).toArray();
    }

    Result result(double imbalance) {
      Scenario.Times times = scenario.times();
      List<Ejection> deserved = ejections.stream().filter(Ejection::deserved).toList();
      double first =
          deserved.isEmpty()
              ? Double.POSITIVE_INFINITY
              : (double) deserved.get(0).nanos() / SECOND - times.fault();
      return new Result(
          tally.calls(),
          tally.errorRate(times.fault(), times.last()),
          tally.secondsToRecover(times.fault(), times.good()),
          scenario.troubled(),
          deserved.stream().map(Ejection::server).distinct().count(),
          first,
          ejections.size() - deserved.size(),
          imbalance);
    }
  }

  private static EndpointAddress address(int number) {
    return new EndpointAddress("10.0." + number / 250 + "." + (1 + number % 250), 80);
  }

  private ClusterConfig cluster(Scenario scenario) {
    LocalityEndpoints a = zone("a", 0, servers / 2);
    LocalityEndpoints b = zone("b", servers / 2, servers);
    EndpointSet endpoints =
        scenario.fleet() == Fleet.FAILOVER
            ? Samples.priorities(a, b)
            : Samples.endpoints(List.of(List.of(a, b)));
    var resource = Samples.cluster(CLUSTER, new ClusterSource.Eds(CLUSTER), policy, 100_000);
    return Samples.watched(resource, detection, endpoints);
  }

  private static LocalityEndpoints zone(String name, int from, int to) {
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = from; i < to; i++) {
      endpoints.add(new Endpoint(List.of(address(i)), HealthStatus.HEALTHY, 1, ""));
    }
    return new LocalityEndpoints(Samples.locality(name), to - from, endpoints);
  }

  /** Nobody resolves anything again, and no cluster goes. */
  static final class Deaf implements ClusterManager.Listener {
    @Override
    public void onClustersChanged() {}

    @Override
    public void onReresolution() {}
  }
}
