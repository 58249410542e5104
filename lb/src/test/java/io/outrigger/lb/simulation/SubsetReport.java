package io.outrigger.lb.simulation;

import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.BalancingPolicy.RandomSubsetting;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.simulation.Scenario.Fleet;
import io.outrigger.lb.simulation.Scenario.Step;
import io.outrigger.lb.simulation.Scenario.Times;
import io.outrigger.lb.simulation.SimulatedServer.Condition;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.testing.FakeControlLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The part of the report that is about random subsets (A68): real trees, one for each sidecar. */
final class SubsetReport {
  private static final int ENDPOINTS = 100;
  private static final int SIDECARS = 1_000;
  private static final int SIDECARS_SAMPLED = 20;
  private static final double RATE = 10;
  private static final double NOISE = 0.001;
  private static final int SEED = 1;

  /** Few calls are enough, for all of them fail at a server that is dead. */
  private static final OutlierDetection DETECTION = Kinds.failing(Duration.ofSeconds(10), 60, 3);

  private final List<String> lines = new ArrayList<>();
  private long calls;

  /** Runs everything. */
  SubsetReport() {
    line("## random subsets");
    line("");
    line(
        "%,d sidecars balance %d endpoints with round_robin. With `random_subsetting`, each sidecar"
            + " connects to `subset_size` endpoints.",
        SIDECARS, ENDPOINTS);
    line(
        "\"Within\" is the number of endpoints that have between 80 %% and 120 %% of the mean"
            + " number of connections.");
    line("");
    line(
        "| subset_size | connections in all | per endpoint: mean | least | most | deviation |"
            + " within |");
    line("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (int size : new int[] {ENDPOINTS, 25, 10, 5}) {
      connectionsRow(size);
    }
    line("");
    line(
        "Each of %d sidecars makes %.0f calls per second. A tenth of the endpoints fails every call"
            + " for five minutes. Outlier detection",
        SIDECARS_SAMPLED, RATE);
    line(
        "has a failure percentage of 60 %%, volume 3 and interval 10 s. \"Calls\" is the mean"
            + " number of calls that a sidecar sends to one");
    line("endpoint per interval.");
    line("");
    line(
        "| subset_size | calls | errors without detection | errors with detection | ejected per"
            + " sidecar | false per sidecar |");
    line("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (int size : new int[] {ENDPOINTS, 25, 10, 5}) {
      detectionRow(size);
    }
  }

  List<String> lines() {
    return lines;
  }

  /** How many were simulated. */
  long calls() {
    return calls;
  }

  private static String shown(int size) {
    return size == ENDPOINTS ? "none" : Integer.toString(size);
  }

  private static BalancingPolicy policy(int size) {
    BalancingPolicy child = new BalancingPolicy.RoundRobin();
    return size == ENDPOINTS ? child : new RandomSubsetting(size, child);
  }

  private void connectionsRow(int size) {
    int[] connections = connections(size);
    double mean = Arrays.stream(connections).average().orElseThrow();
    double variance =
        Arrays.stream(connections)
            .mapToDouble(n -> (n - mean) * (n - mean))
            .average()
            .orElseThrow();
    line(
        "| %s | %,d | %.0f | %d | %d | %.1f | %d |",
        shown(size),
        Arrays.stream(connections).sum(),
        mean,
        Arrays.stream(connections).min().orElseThrow(),
        Arrays.stream(connections).max().orElseThrow(),
        Math.sqrt(variance),
        Arrays.stream(connections).filter(n -> Math.abs(n - mean) <= 0.2 * mean).count());
  }

  /** To each endpoint, of all sidecars. */
  private static int[] connections(int size) {
    String[] addresses =
        IntStream.range(0, ENDPOINTS)
            .mapToObj(i -> "10.0.0." + (1 + i) + ":80")
            .toArray(String[]::new);
    var resource =
        Samples.cluster(
            "simulated",
            new ClusterSource.Eds("simulated"),
            policy(size),
            ClusterResource.Limits.DEFAULT.maxRequests());
    var config =
        Samples.config(
            Set.of("simulated"),
            Samples.leaf(resource, Samples.priorities(Samples.zone("z", addresses))));
    Map<String, Integer> connections = new HashMap<>();
    var seeds = new SplittableRandom(SEED);
    for (int sidecar = 0; sidecar < SIDECARS; sidecar++) {
      var loop = new FakeControlLoop();
      var connector = new FakeConnector();
      SplittableRandom draws = seeds.split();
      RandomSource source = (bound, purpose) -> draws.nextLong(bound);
      var manager =
          new ClusterManager(
              new LbContext(loop, source, event -> {}, 1, false),
              connector,
              new CircuitBreakers(),
              new LoadRegistry(loop),
              false,
              new Simulation.Deaf());
      loop.inside(
          () -> {
            Map<String, ClusterHandle> unused = manager.apply(config);
          });
      connector.open().forEach(address -> connections.merge(address, 1, Integer::sum));
    }
    return Arrays.stream(addresses).mapToInt(each -> connections.getOrDefault(each, 0)).toArray();
  }

  private void detectionRow(int size) {
    double without = 0;
    double with = 0;
    double ejected = 0;
    double wrongly = 0;
    for (int sidecar = 0; sidecar < SIDECARS_SAMPLED; sidecar++) {
      without += run(size, Optional.empty(), sidecar).errorRate();
      Simulation.Result result = run(size, Optional.of(DETECTION), sidecar);
      with += result.errorRate();
      ejected += result.ejected();
      wrongly += result.falseEjections();
    }
    line(
        "| %s | %.1f | %.2f %% | %.2f %% | %.1f | %.2f |",
        shown(size),
        FleetView.callsPerInterval(DETECTION, size, RATE),
        100 * without / SIDECARS_SAMPLED,
        100 * with / SIDECARS_SAMPLED,
        ejected / SIDECARS_SAMPLED,
        wrongly / SIDECARS_SAMPLED);
  }

  private Simulation.Result run(int size, Optional<OutlierDetection> detection, int sidecar) {
    Simulation.Result result =
        new Simulation(policy(size), detection, ENDPOINTS, RATE, NOISE, SEED + sidecar)
            .run(tenthDies());
    calls += result.calls();
    return result;
  }

  private static Scenario tenthDies() {
    var times = new Times(123, 423, 423);
    List<Step> steps = new ArrayList<>();
    for (int server = 0; server < ENDPOINTS; server += 10) {
      steps.add(new Step(times.fault(), server, Condition.failing(1)));
    }
    return new Scenario("tenth dies", "a tenth fails every call", Fleet.EVEN, times, steps);
  }

  private void line(String format, Object... values) {
    lines.add(String.format(Locale.ROOT, format, values));
  }
}
