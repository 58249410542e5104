package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.tls.TlsThreads;
import io.outrigger.dataplane.upstream.NettyConnector;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.http2.EventLoops;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.identity.certificate.SystemRoots;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Connector;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.subchannel.ConnectionPace;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.admin.AdminBudget;
import io.outrigger.observe.events.CertificateEvents;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.metrics.LbCounters;
import io.outrigger.observe.metrics.LoopLag;
import io.outrigger.observe.metrics.MetricsView;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.xds.dns.NettyDnsLookup;
import io.outrigger.xds.kubernetes.Kubernetes;
import io.outrigger.xds.transport.GrpcIstioCa;
import io.outrigger.xds.transport.GrpcWorkloadApi;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The components that the ports and the admin endpoints of the sidecar share. The constructor
 * creates the components in the order of their dependencies; {@link ProxyApp} ends them. State that
 * is confined to the control loop must be read on that loop.
 */
@AnyThread
final class Components {
  final ProxyOptions options;
  final ControlThread control = new ControlThread("control");
  final BackgroundThread decoding = new BackgroundThread("xds-decode");

  /** A separate thread for certificate files: a hanging file system delays no other thread. */
  final BackgroundThread certificateReading = new BackgroundThread("certificates");

  final BackgroundThread stateFiles = new BackgroundThread("state");
  final EventLog events = new EventLog(control);
  final MemoryGauge memory;
  final EventLoops loops;
  final List<CallLoop> callLoops;
  final LoopLag loopLag;
  final NettyDnsLookup dns;
  final Optional<Kubernetes> kubernetes;
  final ControlPlanes controlPlanes = new ControlPlanes();
  final LocalOverlay overlay;
  final CertificateStore certificates;
  final BootstrapWait bootstrapWait;
  final TlsContexts tls;
  final NettyConnector connector;
  private final ConnectionPace pace;
  final CircuitBreakers breakers = new CircuitBreakers();
  final HttpFilters filters = HttpFilters.ofProcess();
  final LbCounters counters = new LbCounters();
  final LoadRegistry loads = new LoadRegistry(control);
  final Optional<StdoutAuditLog> audit;

  // Thread-safe lists, because an export of metrics may read them while ports are being opened.
  final List<RunningForward> forwards = new CopyOnWriteArrayList<>();
  final List<RunningServe> serves = new CopyOnWriteArrayList<>();

  final Drain drain;

  /** The bound on reply bytes that admin clients have not read yet. */
  final AdminBudget unread;

  Components(ProxyOptions options, Function<ControlLoop, NettyDnsLookup> names) {
    this.options = options;
    memory = ComponentSettings.memory(options);
    loops = EventLoops.start(options.transport(), options.threads());
    callLoops = CallLoop.of(loops, RandomSource.SYSTEM);
    loopLag = new LoopLag(callLoops, System::nanoTime);
    dns = names.apply(control);
    kubernetes =
        options
            .kubernetes()
            .map(
                access ->
                    Kubernetes.start(
                        control, access.api(), access.zone(), options.kubernetesServices()));
    overlay =
        new LocalOverlay(
            control, decoding, options.overlays(), options.overlay(), controlPlanes, events);
    certificates =
        new CertificateStore(
            control,
            certificateReading,
            RandomSource.SYSTEM,
            new GrpcWorkloadApi(Optional.ofNullable(System.getenv(WorkloadEndpoint.VARIABLE))),
            new GrpcIstioCa(),
            Optional.ofNullable(System.getenv(SystemRoots.VARIABLE)),
            new CertificateEvents(events));
    bootstrapWait = new BootstrapWait(options.lookup(), this::startProviders);
    tls = new TlsContexts(control, TlsThreads.start(options.threads()), certificates);
    connector =
        new NettyConnector(control, loops, ComponentSettings.upstream(options, memory), tls);
    pace = new ConnectionPace(control, loops.count() * ConnectionPace.PER_LOOP);
    audit =
        options.serving().serves().isEmpty()
            ? Optional.empty()
            : Optional.of(StdoutAuditLog.started());
    drain = new Drain(control, events, forwards, serves, options.drain());
    unread = ComponentSettings.unreadAnswers(memory);
  }

  /**
   * Runs the certificate providers of the given bootstrap and stops all others. Blocks for at most
   * two seconds.
   *
   * @return why a provider is not ready, such as a Workload API or istio CA that has not answered;
   *     empty when all providers are ready
   */
  private Optional<String> startProviders(Bootstrap bootstrap) {
    return CompletableFuture.supplyAsync(
            () -> {
              certificates.start(bootstrap.certificateProviders());
              return certificates.lack(CertificateProvider.class);
            },
            control)
        .completeOnTimeout(
            Optional.of("certificate providers are being started"), 2, TimeUnit.SECONDS)
        .join();
  }

  Connector connector(TargetName target) {
    return pace.of(connector.of(target));
  }

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
        String reason = forward.error().map(error -> ": " + error).orElse("");
        waiting.add("forward " + forward.name() + " has no configuration yet" + reason);
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
            loops.peerErrors().ended()),
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
        forward.listener().forward().totals(),
        endpoints);
  }

  /**
   * Calls the given function on the control loop. The result is immutable, so any thread can read
   * it.
   */
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
