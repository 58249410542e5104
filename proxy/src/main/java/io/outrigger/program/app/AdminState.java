package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlThread;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.http2.PeerErrors;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.metrics.LbCounters;
import io.outrigger.observe.metrics.LoopLag;
import io.outrigger.observe.metrics.MetricsView;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The parts of the sidecar that the admin endpoints read. State that is confined to the control
 * loop is read only on that loop.
 *
 * @param bootstrapWait the wait for the bootstrap; reports which file is missing
 * @param unread the bound on reply bytes that admin clients have not read yet
 */
@AnyThread
record AdminState(
    ControlThread control,
    ControlPlanes controlPlanes,
    BootstrapWait bootstrapWait,
    LocalOverlay overlay,
    CertificateStore certificates,
    LbCounters counters,
    EventLog events,
    List<RunningForward> forwards,
    List<RunningServe> serves,
    Optional<StdoutAuditLog> audit,
    Drain drain,
    MemoryGauge memory,
    LoopLag loopLag,
    PeerErrors peerErrors,
    AdminBudget unread,
    ProxyOptions options) {

  String forwardNames() {
    return forwards.stream().map(RunningForward::name).collect(Collectors.joining(", "));
  }

  /** Returns the forward with the given name, or all forwards when the name is empty. */
  List<RunningForward> forwards(Optional<String> name) {
    return forwards.stream()
        .filter(forward -> name.map(forward.name()::equals).orElse(true))
        .toList();
  }

  /**
   * Returns the reasons why the sidecar is not ready for requests, one line each; empty when ready.
   * Runs on the control loop.
   */
  List<String> notReady() {
    if (drain.hasBegun()) {
      return List.of("draining");
    }
    if (bootstrapWait.missing().isPresent()) {
      return List.of("waiting: " + bootstrapWait.missing().get());
    }
    List<String> waiting = new ArrayList<>();
    for (RunningForward forward : forwards) {
      if (!forward.hadConfig()) {
        waiting.add(
            "forward "
                + forward.name()
                + " has no configuration yet"
                + forward.error().map(error -> ": " + error).orElse(""));
      }
    }
    serves.forEach(serve -> serve.notReady().ifPresent(waiting::add));
    certificates.lack(CertificateProvider.IstioCa.class).ifPresent(waiting::add);
    return waiting;
  }

  /** Runs on the control loop. */
  boolean isConfigured(RunningForward forward) {
    return bootstrapWait.missing().isEmpty() && forward.hadConfig();
  }

  /** Returns the values of all metrics for one scrape. Runs on the control loop. */
  MetricsView metrics() {
    return new MetricsView(
        ProgramVersion.text(),
        forwards.stream().map(this::metricsOf).toList(),
        serves.stream().map(RunningServe::metrics).toList(),
        controlPlanes.status(),
        counters.counts(),
        overlay.status(),
        certificates.view(),
        new MetricsView.ProcessFigures(
            control.failures(),
            audit.map(StdoutAuditLog::lost),
            drain.cutRequests(),
            memory.now(),
            loopLag.measure(),
            peerErrors.ended()),
        options.measurement().leftOutLabels());
  }

  private MetricsView.Forward metricsOf(RunningForward forward) {
    Map<String, EndpointTally> endpoints = new HashMap<>();
    forward
        .clusters()
        .forEach(
            each ->
                each.count(name -> endpoints.computeIfAbsent(name, none -> new EndpointTally())));
    return new MetricsView.Forward(
        forward.name(),
        forward.target(),
        isConfigured(forward),
        forward.listener().connections(),
        forward.listener().refused(),
        forward.listener().forward().totals(),
        endpoints);
  }

  /** Creates a view on the control loop; other threads read this view, which is immutable. */
  <T> CompletionStage<T> onControl(Supplier<T> view) {
    return CompletableFuture.supplyAsync(view, control)
        .whenComplete(
            (result, failure) -> {
              if (failure != null) { // a view changes no state, so only this reply fails
                OutOfMemory.onLoop(failure);
              }
            });
  }
}
