package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.history.TrafficHistory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One running {@code --forward}: its port, and its targets. Methods run on the control loop.
 *
 * @param listen is the bound address; port 0 is replaced by the port that the system chose
 * @param fixedTarget the only target of the forward; empty if the authority of a request selects
 *     the target
 * @param targetsByAuthority the targets that the authorities of requests have selected; empty if
 *     there is a fixed target
 */
@AnyThread
record RunningForward(
    String name,
    ListenAddress listen,
    String target,
    Http2Listener listener,
    Optional<TargetRuntime> fixedTarget,
    Optional<AuthorityTargets> targetsByAuthority,
    TrafficHistory history) {
  private static final int OUTAGES_SHOWN = 3;

  /** Starts to watch the resources of the targets. */
  void start() {
    fixedTarget.ifPresent(TargetRuntime::start);
    targetsByAuthority.ifPresent(AuthorityTargets::start);
  }

  List<TargetRuntime> targets() {
    return targetsByAuthority
        .map(AuthorityTargets::targets)
        .orElseGet(() -> fixedTarget.stream().toList());
  }

  /** Returns the target of requests with the given authority; empty before the first request. */
  Optional<TargetRuntime> targetOf(String authority) {
    return fixedTarget.or(() -> targetsByAuthority.flatMap(targets -> targets.find(authority)));
  }

  /**
   * Returns the state of the fixed target. A forward without a fixed target is always READY,
   * because it has no target at all before the first request.
   */
  TargetRuntime.State state() {
    return fixedTarget.map(TargetRuntime::state).orElse(TargetRuntime.State.READY);
  }

  /** Returns why all requests to the forward fail, or which resource the forward waits for. */
  Optional<String> error() {
    return fixedTarget.flatMap(TargetRuntime::error);
  }

  /** Whether the forward has ever had a configuration that can route. */
  boolean hadConfig() {
    return fixedTarget.map(TargetRuntime::hadConfig).orElse(true);
  }

  Stream<ClusterManager> clusters() {
    return targets().stream().map(TargetRuntime::clusters);
  }

  EndpointTally tally() {
    var tally = new EndpointTally();
    clusters().forEach(each -> each.count(cluster -> tally));
    return tally;
  }

  /**
   * Returns the entry of this forward in {@code /forwards}.
   *
   * @param missing says why the sidecar waits, such as a missing file; otherwise empty
   * @param drain describes the phase of the graceful shutdown; empty before the shutdown begins
   */
  Map<String, Object> view(Optional<String> missing, Optional<String> drain) {
    EndpointTally tally = tally();
    String state =
        drain.isPresent()
            ? "DRAINING"
            : (missing.isPresent() ? TargetRuntime.State.WAITING : state()).toString();
    return AdminReply.members(
        "name", name,
        "listen", listen.toString(),
        "target", target,
        "state", state,
        "error", drain.or(() -> missing).or(this::error).or(this::outages).orElse(""),
        "endpoints", tally.all(),
        "failing", tally.of(Connectivity.TRANSIENT_FAILURE));
  }

  /** Returns why all calls of the forward, or its calls to some clusters, fail; otherwise empty. */
  Optional<String> failure() {
    return error()
        .or(this::outages)
        .map(
            why -> {
              EndpointTally tally = tally();
              return "forward %s: %d of %d backends reachable; %s"
                  .formatted(name, tally.reachable(), tally.all(), why);
            });
  }

  private Optional<String> outages() {
    List<String> all =
        clusters()
            .flatMap(ClusterManager::outages)
            .map(outage -> "cluster " + outage.cluster() + ": " + outage.reason())
            .toList();
    int more = all.size() - OUTAGES_SHOWN;
    String first = all.stream().limit(OUTAGES_SHOWN).collect(Collectors.joining("; "));
    return Optional.of(more > 0 ? first + "; and " + more + " more clusters" : first)
        .filter(text -> !text.isEmpty());
  }
}
