package io.outrigger.oracle;

import io.grpc.xds.client.BootstrapperImpl;
import io.outrigger.oracle.StoryNetwork.Condition;
import io.outrigger.oracle.TrafficStory.Step;
import io.outrigger.program.testing.mesh.MeshResources;
import io.outrigger.xds.ResourceType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells a story about traffic to both clients and compares what the control plane and callers see
 * after each step: ACK or NACK, the backends that a series of calls reaches or its failure, and
 * what those that wait are waiting for (A121).
 *
 * <p>Where gRPC's client is known to do otherwise, the difference is allowed exactly there:
 *
 * <ul>
 *   <li>A call that waits for readiness fails there when there is no configuration; with us when
 *       its cluster does not exist (SC-21, A31-09).
 *   <li>A call that waits for the first configuration fails with INTERNAL there if no route leads
 *       to any cluster; with us, like every other call, with UNAVAILABLE.
 *   <li>Subsets are drawn by seeds of each client's own: their sizes and what becomes of them are
 *       compared, see {@link Subsets}.
 *   <li>It keeps connections where a cluster's TLS changes (A29-05), and those of a cluster that
 *       has no route for a while; we keep one whose endpoint moves to another priority. Who is
 *       reached then is compared while all backends are up.
 *   <li>It goes on to wait for a cluster that never came when no route names that any more; routes
 *       change here only after the timers of such clusters.
 *   <li>It names priorities after its children, not by their number (A121 "priority").
 * </ul>
 */
final class TrafficRun implements AutoCloseable {
  /** As many calls in a row reach every backend of a round_robin. */
  private static final int SERIES = 12;

  /** Longer than any back-off between attempts to connect. */
  private static final Duration BACKOFFS = Duration.ofSeconds(150);

  private static final Set<String> WAITS = Set.of("waits");
  private static final Set<String> FAILS = Set.of("UNAVAILABLE");

  private static final String FAILING = "picker_failing_with_wait_for_ready";

  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc"); // held: levels are weak

  private final OurTrafficClient ours;
  private final GrpcTrafficClient grpc = new GrpcTrafficClient();
  private final List<Series> open = new ArrayList<>();
  private final UnaryOperator<Step> asToldToOurs;
  private final TrafficTotals totals;
  private final ClustersInUse clusters;
  private final StoryNetwork network = new StoryNetwork();
  private final List<String> log = new ArrayList<>();

  /** Calls that were begun at once, by both. */
  private static final class Series {
    private final Step.Calls step;
    private final List<TrafficClient.Call> ours;
    private final List<TrafficClient.Call> grpc;
    private boolean waited;
    private boolean givenUp;

    Series(Step.Calls step, List<TrafficClient.Call> ours, List<TrafficClient.Call> grpc) {
      this.step = step;
      this.ours = ours;
      this.grpc = grpc;
    }

    String cluster() {
      return step.cluster();
    }

    boolean waitForReady() {
      return step.waitForReady();
    }

    List<TrafficClient.Call> ours() {
      return ours;
    }

    List<TrafficClient.Call> grpc() {
      return grpc;
    }

    /** Whether it waited after an earlier step. */
    boolean waited() {
      return waited;
    }

    /** A known difference: nothing that follows is compared. */
    void giveUp() {
      givenUp = true;
      ours.forEach(TrafficClient.Call::cancel);
      grpc.forEach(TrafficClient.Call::cancel);
    }

    /** Whether there is more to compare. */
    boolean goesOn() {
      waited = waits();
      return waited && !givenUp;
    }

    private boolean waits() {
      return ours.stream().anyMatch(call -> call.outcome().equals("waits"))
          || grpc.stream().anyMatch(call -> call.outcome().equals("waits"));
    }

    @Override
    public String toString() {
      return cluster()
          + ": "
          + outcomes(ours)
          + " "
          + delays(ours)
          + ", gRPC "
          + outcomes(grpc)
          + " "
          + delays(grpc);
    }
  }

  private static Set<String> outcomes(List<TrafficClient.Call> calls) {
    Set<String> outcomes = new TreeSet<>();
    calls.forEach(call -> outcomes.add(call.outcome()));
    return outcomes;
  }

  private static Set<List<String>> delays(List<TrafficClient.Call> calls) {
    return Set.copyOf(calls.stream().map(TrafficClient.Call::delays).toList());
  }

  private TrafficRun(long seed, UnaryOperator<Step> asToldToOurs, TrafficTotals totals) {
    this.asToldToOurs = asToldToOurs;
    this.totals = totals;
    clusters = new ClustersInUse(totals);
    ours = new OurTrafficClient(seed);
    both(
        client -> {
          client.serve(
              ResourceType.LISTENER,
              TrafficClient.TARGET,
              Optional.of(MeshResources.listener(TrafficClient.TARGET)));
          return "";
        });
  }

  /** Of a seed: empty if both agree, else the shortest story on which they do not. */
  static Optional<String> check(long seed, int length, TrafficTotals totals) {
    TrafficStory story = TrafficStory.random(seed, length);
    if (difference(seed, story, step -> step, totals).isEmpty()) {
      return Optional.empty();
    }
    TrafficStory shortest = story.minimal(shorter -> difference(seed, shorter).isPresent());
    return Optional.of("seed " + seed + ": " + difference(seed, shortest).orElseThrow());
  }

  private static Optional<String> difference(long seed, TrafficStory story) {
    return difference(seed, story, step -> step, new TrafficTotals());
  }

  /**
   * The steps up to the first difference, and what was seen on both sides; empty if none.
   *
   * @param asToldToOurs makes of each step what our client is told instead
   */
  static Optional<String> difference(
      long seed, TrafficStory story, UnaryOperator<Step> asToldToOurs, TrafficTotals totals) {
    GRPC_LOG.setLevel(Level.OFF);
    boolean before = BootstrapperImpl.xdsDataErrorHandlingEnabled;
    BootstrapperImpl.xdsDataErrorHandlingEnabled = true; // A88, which it has off by default
    try (var run = new TrafficRun(seed, asToldToOurs, totals)) {
      return run.compare(story);
    } finally {
      BootstrapperImpl.xdsDataErrorHandlingEnabled = before;
    }
  }

  private Optional<String> compare(TrafficStory story) {
    for (Step step : story.steps()) {
      log.add("  " + step);
      apply(step);
      for (Series series : open) {
        log.add("      -> " + series);
      }
      if (!agree()) {
        return Optional.of(String.join("\n", log));
      }
      open.forEach(this::count);
      open.removeIf(series -> !series.goesOn());
    }
    return Optional.empty();
  }

  private void count(Series series) {
    Set<String> here = outcomes(series.ours());
    if (here.equals(WAITS)) {
      totals.waited++;
    } else if (isAnswered(here)) {
      totals.answered++;
    } else {
      totals.failed++;
    }
  }

  private List<String> both(Function<TrafficClient, String> what) {
    return List.of(what.apply(ours), what.apply(grpc));
  }

  private void apply(Step step) {
    if (step instanceof Step.Calls calls) {
      open.add(new Series(calls, series(ours, calls), series(grpc, calls)));
      return;
    }
    boolean waits = step instanceof Step.Routes && !clusters.areAllInUse();
    if (waits) {
      both(client -> pass(client, BACKOFFS));
    }
    clusters.apply(step);
    if (step instanceof Step.Network changed) {
      network.set(changed.port(), changed.condition());
    }
    both(
        client -> {
          apply(client == ours ? asToldToOurs.apply(step) : step, client);
          return waits ? pass(client, BACKOFFS) : "";
        });
  }

  private static String pass(TrafficClient client, Duration time) {
    client.pass(time);
    return "";
  }

  private static List<TrafficClient.Call> series(TrafficClient client, Step.Calls calls) {
    List<TrafficClient.Call> series = new ArrayList<>();
    for (int i = 0; i < SERIES; i++) {
      series.add(client.call(TrafficResources.path(calls.cluster()), calls.waitForReady()));
    }
    return series;
  }

  private static void apply(Step step, TrafficClient client) {
    if (step instanceof Step.Attach) {
      client.attach();
    } else if (step instanceof Step.Routes routes) {
      client.serve(
          ResourceType.ROUTE, MeshResources.ROUTES, Optional.of(TrafficResources.routes(routes)));
    } else if (step instanceof Step.Deploy deploy) {
      String name = deploy.name();
      client.serve(
          ResourceType.CLUSTER,
          name,
          deploy.cluster().map(it -> TrafficResources.cluster(name, it)));
      for (String service : TrafficResources.services(name)) {
        client.serve(
            ResourceType.ENDPOINT,
            service,
            deploy
                .cluster()
                .map(it -> TrafficResources.endpoints(name, it))
                .filter(it -> it.getClusterName().equals(service)));
      }
    } else if (step instanceof Step.Network network) {
      client.set(network.port(), network.condition());
      if (network.condition() == Condition.UP) {
        client.pass(BACKOFFS);
      }
    } else if (step instanceof Step.Pass pass) {
      client.pass(pass.time());
    }
  }

  private boolean agree() {
    for (Series series : open) {
      if (!agree(series)) {
        log.add("      differ: " + series);
        return false;
      }
    }
    for (ResourceType<?> type : List.of(ResourceType.CLUSTER, ResourceType.ROUTE)) {
      List<String> verdicts = both(client -> client.verdict(type));
      if (verdicts.get(0).equals(StoryServer.ACK) != verdicts.get(1).equals(StoryServer.ACK)) {
        log.add("      verdicts on " + type + ": " + verdicts);
        return false;
      }
    }
    return true;
  }

  private boolean agree(Series series) {
    Set<String> here = outcomes(series.ours());
    Set<String> there = outcomes(series.grpc());
    String name = series.cluster();
    if (series.waitForReady() && waitsForResolver(series.ours()) && there.equals(FAILS)) {
      series.giveUp();
      return true;
    }
    if (series.waitForReady() && clusters.of(name).isEmpty() && here.equals(FAILS)) {
      series.giveUp();
      return kindsOfDelay(series.grpc()).equals(Set.of(FAILING)) || there.equals(FAILS);
    }
    if (clusters.areNone() && here.equals(FAILS) && there.equals(Set.of("INTERNAL"))) {
      return true;
    }
    if (mayDiffer(name)) {
      return true;
    }
    if (here.equals(WAITS) && there.equals(WAITS)) {
      return kindsOfDelay(series.ours()).equals(kindsOfDelay(series.grpc()));
    }
    if (!isAnswered(here) || !isAnswered(there)) {
      return here.equals(there);
    }
    if (series.waited()) {
      return true; // all go to who was first to connect
    }
    return clusters.of(name).filter(cluster -> cluster.subset() > 0).isEmpty()
        ? here.equals(there)
        : clusters.wrong(name, ports(here), ports(there)).map(log::add).isEmpty();
  }

  private static Set<Integer> ports(Set<String> reached) {
    Set<Integer> ports = new TreeSet<>();
    reached.forEach(port -> ports.add(Integer.valueOf(port)));
    return ports;
  }

  private static boolean isAnswered(Set<String> outcomes) {
    return outcomes.stream().allMatch(outcome -> Character.isDigit(outcome.charAt(0)));
  }

  private static boolean waitsForResolver(List<TrafficClient.Call> calls) {
    return outcomes(calls).equals(WAITS) && kindsOfDelay(calls).equals(Set.of("resolving"));
  }

  /** Whether the clients may use other backends of the cluster, and not all backends are up. */
  private boolean mayDiffer(String name) {
    return clusters.mayDiffer(name)
        && TrafficStory.portsOf(name).anyMatch(port -> network.of(port) != Condition.UP);
  }

  /**
   * What waiting calls wait for now; priorities are only counted, since gRPC names its children.
   */
  private static Set<String> kindsOfDelay(List<TrafficClient.Call> calls) {
    Set<String> kinds = new TreeSet<>();
    for (TrafficClient.Call call : calls) {
      List<String> delays = call.delays();
      String last = delays.isEmpty() ? "none" : delays.get(delays.size() - 1);
      kinds.add(last.replaceAll("[^:]+:", "priority:"));
    }
    return kinds;
  }

  @Override
  public void close() {
    ours.close();
    grpc.close();
  }
}
