package io.outrigger.program.app;

import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEvent;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One entry of {@code /forwards}; the component names are the contract's JSON names.
 *
 * @param error why its calls fail, or which resource it waits for; empty when the forward works
 * @param endpoints the number of endpoints that its calls may use
 * @param failing the number of endpoints that are ejected or whose last connection attempt failed
 */
record ForwardView(
    String name,
    String listen,
    String target,
    String state,
    String error,
    int endpoints,
    int failing) {
  private static final int OUTAGES_SHOWN = 3;

  /** Must run on the control loop. */
  static ForwardView of(RunningForward forward, AdminState process) {
    EndpointTally tally = forward.tally();
    Optional<String> missing = process.bootstrapWait().missing();
    Optional<String> drain = process.drain().phase();
    String state =
        drain.isPresent()
            ? "DRAINING"
            : (missing.isPresent() ? TargetRuntime.State.WAITING : forward.state()).toString();
    return new ForwardView(
        forward.name(),
        forward.listen().toString(),
        forward.target(),
        state,
        drain.or(() -> missing).or(forward::error).or(() -> outages(forward)).orElse(""),
        tally.all(),
        tally.of(Connectivity.TRANSIENT_FAILURE));
  }

  private static Optional<String> outages(RunningForward forward) {
    List<LbEvent.Outage> outages = forward.clusters().flatMap(ClusterManager::outages).toList();
    int more = outages.size() - OUTAGES_SHOWN;
    return outages.isEmpty()
        ? Optional.empty()
        : Optional.of(
            outages.stream()
                    .limit(OUTAGES_SHOWN)
                    .map(outage -> "cluster " + outage.cluster() + ": " + outage.reason())
                    .collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more clusters" : ""));
  }
}
