package io.outrigger.bench;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.lb.CallOutcome;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.testing.Detections;
import io.outrigger.lb.tree.ClusterHandle;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** What outlier detection costs a call: the difference between the two rows of each. */
@State(Scope.Benchmark)
public class OutlierBenchmark {
  @Param({"off", "on"})
  public String detection = "";

  private ClusterHandle cluster = Tree.NONE;

  /** The calls of a thread, which stands for an event loop. */
  @State(Scope.Thread)
  public static class Loop {
    private final Tree.Call call = new Tree.Call();
  }

  @Setup
  public void build() {
    cluster =
        Tree.aggregate(
            ClusterResource.DEFAULT_POLICY,
            detection.equals("on") ? Optional.of(Detections.deviating(10)) : Optional.empty());
  }

  @Benchmark
  @Target(nanos = 120, bytes = 0)
  public Subchannel call(Loop loop) {
    return oneCall(loop);
  }

  @Benchmark
  @Threads(2)
  @Target(bytes = 0)
  public Subchannel callOnTwoLoops(Loop loop) {
    return oneCall(loop);
  }

  private Subchannel oneCall(Loop loop) {
    if (!(cluster.picker().pick(loop.call.next()) instanceof PickResult.Use use)) {
      throw new IllegalStateException("no endpoint");
    }
    use.subchannel().callEnded(loop.call, CallOutcome.SUCCESS);
    return use.subchannel();
  }
}
