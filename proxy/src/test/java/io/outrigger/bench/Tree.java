package io.outrigger.bench;

import io.outrigger.base.RandomSource;
import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.cluster.OutlierDetection;
import io.outrigger.config.endpoint.Endpoint;
import io.outrigger.config.endpoint.HealthStatus;
import io.outrigger.config.endpoint.LocalityEndpoints;
import io.outrigger.config.snapshot.ClusterConfig;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.testing.FakeConnector;
import io.outrigger.lb.testing.Samples;
import io.outrigger.lb.tree.ClusterHandle;
import io.outrigger.lb.tree.ClusterHandles;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.testing.FakeControlLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A live tree whose endpoints are all connected. */
final class Tree {
  /** How many event loops pick. */
  static final int LOOPS = 4;

  /** Stands where a benchmark has not been set up. */
  static final ClusterHandle NONE = ClusterHandles.named("none");

  private static final int LEAVES = 3;
  private static final int LOCALITIES = 3;
  private static final int ENDPOINTS = 100;
  private static final long UNLIMITED = Long.MAX_VALUE;

  /** So many that every endpoint is picked. */
  private static final int FIRST_CALLS = 50_000;

  /** One call after the other, each of another hash. */
  static class Call implements PickContext {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int loop = COUNT.getAndIncrement() % LOOPS;
    private long hash;

    Call next() {
      hash += 0x9E3779B97F4A7C15L; // the golden ratio: far from the one before
      return this;
    }

    @Override
    public int loop() {
      return loop;
    }

    @Override
    public long hash() {
      return hash;
    }

    @Override
    public @Nullable String header(String name) {
      return null;
    }
  }

  private Tree() {}

  /** An aggregate of three leaves, each with three localities of a hundred endpoints. */
  static ClusterHandle aggregate(BalancingPolicy policy) {
    return aggregate(policy, Optional.empty());
  }

  /** The same, watched for outliers or not. */
  static ClusterHandle aggregate(BalancingPolicy policy, Optional<OutlierDetection> detection) {
    return aggregate(policy, detection, Optional.empty());
  }

  /** The same after the call of a session, without which nobody looks for sessions' endpoints. */
  static ClusterHandle withSessions(BalancingPolicy policy, PickContext first) {
    return aggregate(policy, Optional.empty(), Optional.of(first));
  }

  private static ClusterHandle aggregate(
      BalancingPolicy policy, Optional<OutlierDetection> detection, Optional<PickContext> first) {
    var clusters = new ArrayList<ClusterConfig>();
    String[] leaves =
        IntStream.range(0, LEAVES).mapToObj(leaf -> "leaf" + leaf).toArray(String[]::new);
    for (int leaf = 0; leaf < LEAVES; leaf++) {
      clusters.add(leaf(leaves[leaf], leaf, policy, detection));
    }
    clusters.add(Samples.aggregate("aggregate", leaves));
    var control = new FakeControlLoop();
    var connector = new FakeConnector();
    var manager =
        new ClusterManager(
            new LbContext(control, RandomSource.SYSTEM, event -> {}, LOOPS, false),
            connector,
            new CircuitBreakers(),
            new LoadRegistry(control),
            false,
            new Deaf());
    var config = Samples.config(Set.of("aggregate"), clusters.toArray(ClusterConfig[]::new));
    var handles = new HashMap<String, ClusterHandle>();
    control.inside(() -> handles.putAll(manager.apply(config)));
    control.inside(connector::readyAll);
    ClusterHandle cluster = Objects.requireNonNull(handles.get("aggregate"));
    var call = new Call();
    for (int i = 0; i < FIRST_CALLS; i++) { // some policies connect what is picked
      one(cluster, call.next(), control, connector);
    }
    first.ifPresent(session -> one(cluster, session, control, connector));
    return cluster;
  }

  private static void one(
      ClusterHandle cluster, PickContext call, FakeControlLoop control, FakeConnector connector) {
    if (cluster.picker().pick(call) instanceof PickResult.Use use) {
      use.subchannel().callEnded(call, CallOutcome.SUCCESS);
    } else {
      control.run();
      control.inside(connector::readyAll);
    }
  }

  private static ClusterConfig leaf(
      String name, int number, BalancingPolicy policy, Optional<OutlierDetection> detection) {
    List<LocalityEndpoints> localities =
        IntStream.range(0, LOCALITIES)
            .mapToObj(
                locality ->
                    Samples.locality("zone" + locality, 1 + locality, endpoints(number, locality)))
            .toList();
    var cluster =
        new ClusterResource(
            name,
            new ClusterSource.Eds(name),
            policy,
            new ClusterResource.Limits(UNLIMITED, 1),
            detection,
            new ClusterResource.Sessions(
                ClusterResource.DEFAULT_IDLE_TIMEOUT, Set.of(HealthStatus.HEALTHY)));
    return Samples.leaf(cluster, Samples.endpoints(List.of(localities)));
  }

  private static Endpoint[] endpoints(int leaf, int locality) {
    return IntStream.range(0, ENDPOINTS)
        .mapToObj(i -> Samples.endpoint("10." + leaf + "." + locality + "." + i + ":8080"))
        .toArray(Endpoint[]::new);
  }

  private static final class Deaf implements ClusterManager.Listener {
    @Override
    public void onClustersChanged() {}

    @Override
    public void onReresolution() {}
  }
}
