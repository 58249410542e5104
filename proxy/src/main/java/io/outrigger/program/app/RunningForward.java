package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.observe.history.TrafficHistory;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One running {@code --forward}: its port, and its targets. Methods run on the control loop.
 *
 * @param listen its address, with the port that the system chose
 * @param target the target as configured
 * @param only the target of a forward with a fixed target, which decides readiness
 * @param byAuthority returns the target of a request with the given {@code :authority}; empty when
 *     no such request has arrived yet
 */
@AnyThread
record RunningForward(
    String name,
    ListenAddress listen,
    String target,
    Http2Listener listener,
    Optional<TargetRuntime> only,
    Supplier<List<TargetRuntime>> targets,
    Function<String, Optional<TargetRuntime>> byAuthority,
    TrafficHistory history) {
  /**
   * Returns the state of the fixed target. A forward that is routed by authority is always ready,
   * since it has no target before the first request.
   */
  TargetRuntime.State state() {
    return only.map(TargetRuntime::state).orElse(TargetRuntime.State.READY);
  }

  /** Returns why the whole forward fails, or which resource it waits for. */
  Optional<String> error() {
    return only.flatMap(TargetRuntime::error);
  }

  /** Whether the forward has ever had a configuration that can route. */
  boolean hadConfig() {
    return only.map(TargetRuntime::hadConfig).orElse(true);
  }

  Stream<ClusterManager> clusters() {
    return targets.get().stream().map(TargetRuntime::clusters);
  }

  EndpointTally tally() {
    var tally = new EndpointTally();
    clusters().forEach(each -> each.count(cluster -> tally));
    return tally;
  }
}
