package io.outrigger.bench;

import io.outrigger.config.cluster.BalancingPolicy;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.tree.ClusterHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * A pick through the whole tree of an aggregate cluster, 3 leaves × 3 localities × 100 endpoints:
 * priority, outlier detection, drops and breaker, session affinity, priority, weighted localities,
 * and the policy in question within a locality. Another policy is another name here and a case in
 * {@link #policy}.
 */
@State(Scope.Benchmark)
public class PickBenchmark {
  /** What balances the endpoints of a locality. */
  @Param({"round_robin", "pick_first", "ring_hash", "least_request", "random_subsetting"})
  public String policy = "";

  private ClusterHandle cluster = Tree.NONE;

  /** The calls of a thread, which stands for an event loop. */
  @State(Scope.Thread)
  public static class Loop {
    private final Tree.Call call = new Tree.Call();
  }

  private static BalancingPolicy policy(String name) {
    return new BalancingPolicy.WrrLocality(
        switch (name) {
          case "round_robin" -> new BalancingPolicy.RoundRobin();
          case "pick_first" -> new BalancingPolicy.PickFirst(false);
          case "ring_hash" ->
              new BalancingPolicy.RingHash(
                  BalancingPolicy.RingHash.DEFAULT_MIN_SIZE, BalancingPolicy.RingHash.LARGEST, "");
          case "least_request" ->
              new BalancingPolicy.LeastRequest(BalancingPolicy.LeastRequest.DEFAULT_CHOICES);
          case "random_subsetting" -> // a quarter of the endpoints, in turn
              new BalancingPolicy.RandomSubsetting(25, new BalancingPolicy.RoundRobin());
          default -> throw new IllegalArgumentException(name);
        });
  }

  @Setup
  public void build() {
    cluster = Tree.aggregate(policy(policy));
  }

  /** The pick itself, which counts the call in. */
  @Benchmark
  @Target(nanos = 60, bytes = 0)
  public PickResult pick(Loop loop) {
    return cluster.picker().pick(loop.call.next());
  }

  /** All that a call costs in the tree: the cluster is held, a pick, the end counted, let go. */
  @Benchmark
  @Target(nanos = 120, bytes = 0)
  public Subchannel call(Loop loop) {
    return oneCall(cluster, loop.call.next());
  }

  /** The same on two loops at once: what they share shows. */
  @Benchmark
  @Threads(2)
  @Target(bytes = 0)
  public Subchannel callOnTwoLoops(Loop loop) {
    return oneCall(cluster, loop.call.next());
  }

  private static Subchannel oneCall(ClusterHandle cluster, PickContext call) {
    if (!cluster.acquire()) {
      throw new IllegalStateException("cluster is retired");
    }
    PickResult result = cluster.picker().pick(call);
    if (!(result instanceof PickResult.Use use)) {
      throw new IllegalStateException("no endpoint: " + result);
    }
    use.subchannel().callEnded(call, CallOutcome.SUCCESS);
    cluster.release();
    return use.subchannel();
  }
}
