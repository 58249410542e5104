package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.NodeVisitor;
import io.outrigger.observe.history.LastCalls;
import io.outrigger.observe.history.TrafficHistory;
import io.outrigger.observe.metrics.EndpointStates;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One {@code --forward} in operation: its port, and the targets behind it.
 *
 * @param listen where it listens, with the port that was picked
 * @param target as configured
 * @param only the target of a forward that is bound to one; it decides readiness
 * @param targets all targets at this moment
 * @param byAuthority the target of a request with this {@code :authority}; empty when none is known
 *     yet
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
    LastCalls last,
    TrafficHistory history) {
  /** A forward routed by authority has nothing to wait for before the first request. */
  TargetRuntime.State state() {
    return only.map(TargetRuntime::state).orElse(TargetRuntime.State.READY);
  }

  /** Why it fails as a whole, or what it waits for. On the control loop. */
  Optional<String> error() {
    return only.flatMap(TargetRuntime::error);
  }

  /** Whether it has had a configuration to route with; stays so. On the control loop. */
  boolean hadConfig() {
    return only.map(TargetRuntime::hadConfig).orElse(true);
  }

  /**
   * How each cluster of its targets stands, in the order of {@link #accept}. On the control loop.
   */
  List<Connectivity> clusters() {
    return targets.get().stream().flatMap(TargetRuntime::clusters).toList();
  }

  /** Counts the endpoints of all its clusters together. On the control loop. */
  EndpointTally tally() {
    var tally = new EndpointTally();
    targets.get().forEach(runtime -> runtime.count(cluster -> tally));
    return tally;
  }

  /** Counts the endpoints of each of its clusters. On the control loop. */
  EndpointStates endpoints() {
    var states = new EndpointStates();
    targets.get().forEach(runtime -> runtime.count(states::of));
    return states;
  }

  /** Shows the trees of all its targets' clusters. On the control loop. */
  void accept(NodeVisitor visitor) {
    targets.get().forEach(runtime -> runtime.accept(visitor));
  }
}
