package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.config.bootstrap.ListenerNames;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.listener.ServerFilterChain;
import io.outrigger.config.tls.DownstreamTls;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.serve.AppCluster;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.observe.admin.AdminReply;
import io.outrigger.observe.metrics.MetricsView;
import io.outrigger.program.options.ServeSpec;
import io.outrigger.xds.serving.ServingState;
import io.outrigger.xds.serving.ServingWatcher;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One running {@code --serve}: its port, the cluster of its app, and the watcher of its
 * configuration. Methods run on the control loop.
 */
@AnyThread
final class RunningServe {
  private final ServeSpec spec;
  private final Forward calls;
  private final AppCluster app;
  private final ServedListener port;
  private final ServingReports reports;
  private final ServeRecords records;
  private volatile String resource = ""; // the Listener's name; empty until start()

  /** The configuration's errors, which make requests fail although the port is open. */
  private Set<String> configErrors = Set.of();

  private @Nullable ServingWatcher watcher; // null until start()

  RunningServe(
      ServeSpec spec,
      Forward calls,
      AppCluster app,
      ServedListener port,
      ServingReports reports,
      ServeRecords records) {
    this.spec = spec;
    this.calls = calls;
    this.app = app;
    this.port = port;
    this.reports = reports;
    this.records = records;
  }

  void start(ControlLoop control, ControlPlanes.Known known) {
    // orElseThrow never throws: PortsReader has rejected bootstraps without a Listener name.
    resource =
        ListenerNames.ofServer(known.bootstrap(), spec.listen().toString())
            .toOptional()
            .orElseThrow();
    watcher =
        new ServingWatcher(
            control,
            known.clients().ofServers(),
            resource,
            spec.address(),
            known.bootstrap().node().id(),
            this::onState);
    onState(watcher.state());
    watcher.start();
  }

  private void onState(ServingState state) {
    configErrors = Set.of();
    if (state instanceof ServingState.Serving serving) {
      configErrors = reports.onConfig(serving);
      port.serve(serving.listener(), serving::routesOf);
    } else if (state instanceof ServingState.NotServing not) {
      port.stop(not.reason());
    } else if (state instanceof ServingState.Waiting waiting) {
      port.await(waiting.reason());
    } else {
      throw new AssertionError(state);
    }
  }

  /** Ends the watches of resources, and closes the connections to the app. */
  void release() {
    if (watcher != null) {
      watcher.close();
    }
    app.close();
  }

  ServeSpec spec() {
    return spec;
  }

  Forward calls() {
    return calls;
  }

  ServedListener port() {
    return port;
  }

  MetricsView.Serve metrics() {
    return new MetricsView.Serve(
        spec.name(),
        notReady().isEmpty(),
        port.connections(),
        calls.totals(),
        records.decisions(),
        records.handshakes());
  }

  /** Returns why the served address is not ready for calls; empty when the address is ready. */
  Optional<String> notReady() {
    boolean isServing = port.state() == ServedListener.State.SERVING;
    return isServing && port.problem().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "serve %s is %s: %s"
                .formatted(spec.name(), port.state(), port.problem().orElse("no reason is known")));
  }

  /**
   * Returns the entry of this served address in {@code /listeners}.
   *
   * @param missing says why the sidecar waits, such as a missing file; otherwise empty
   */
  Map<String, Object> view(Optional<String> missing) {
    return AdminReply.members(
        "name", spec.name(),
        "listen", spec.listen().toString(),
        "app", spec.app().toString(),
        "resource", resource,
        "state", port.state().toString(),
        "error",
            missing
                .or(port::problem)
                .or(() -> Optional.ofNullable(watcher).flatMap(ServingWatcher::refusal))
                .orElseGet(() -> String.join("; ", configErrors)),
        "chains", port.chains().stream().map(RunningServe::view).toList(),
        "connections", port.connections());
  }

  private static Map<String, Object> view(ServerFilterChain chain) {
    return AdminReply.members(
        "name", chain.name(),
        "tls", chain.tls().isPresent(),
        "client_certificate",
            chain.tls().filter(DownstreamTls::requireClientCertificate).isPresent(),
        "filters", chain.filters().stream().map(HttpFilter::name).toList());
  }
}
