package io.outrigger.program.app;

import io.outrigger.dataplane.serve.ServedView;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbEvent;
import io.outrigger.observe.admin.AdminReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The entries of {@code /forwards} and {@code /listeners}. All methods run on the control loop. */
final class PortViews {
  private static final int OUTAGES_SHOWN = 3;

  private PortViews() {}

  static Map<String, Object> of(RunningForward forward, AdminState process) {
    EndpointTally tally = forward.tally();
    Optional<String> missing = process.bootstrapWait().missing();
    Optional<String> drain = process.drain().phase();
    String state =
        drain.isPresent()
            ? "DRAINING"
            : (missing.isPresent() ? TargetRuntime.State.WAITING : forward.state()).toString();
    return AdminReply.members(
        "name", forward.name(),
        "listen", forward.listen().toString(),
        "target", forward.target(),
        "state", state,
        "error", drain.or(() -> missing).or(forward::error).or(() -> outages(forward)).orElse(""),
        "endpoints", tally.all(),
        "failing", tally.of(Connectivity.TRANSIENT_FAILURE));
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

  static Map<String, Object> of(RunningServe serve, AdminState process) {
    ServedView view = serve.port().view();
    return AdminReply.members(
        "name", serve.spec().name(),
        "listen", serve.spec().listen().toString(),
        "app", serve.spec().app().toString(),
        "resource", serve.resource(),
        "state", view.state().toString(),
        "error",
            process
                .bootstrapWait()
                .missing()
                .or(view::error)
                .orElseGet(() -> String.join("; ", serve.configErrors())),
        "chains", view.chains(),
        "connections", view.connections());
  }
}
