package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.BackgroundThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Bootstrap.CertificateProvider;
import io.outrigger.config.bootstrap.WorkloadEndpoint;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.memory.HeapWatch;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.tls.TlsThreads;
import io.outrigger.dataplane.upstream.NettyConnector;
import io.outrigger.http2.EventLoops;
import io.outrigger.identity.certificate.CertificateStore;
import io.outrigger.identity.certificate.SystemRoots;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.subchannel.ConnectionPace;
import io.outrigger.observe.access.AccessLog;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.events.AdsEvents;
import io.outrigger.observe.events.CertificateEvents;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.metrics.LbCounters;
import io.outrigger.observe.metrics.LoopLag;
import io.outrigger.observe.metrics.MetricsText;
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.program.options.StartFailure;
import io.outrigger.xds.decode.ResourceDecoder;
import io.outrigger.xds.dns.NettyDnsLookup;
import io.outrigger.xds.kubernetes.Kubernetes;
import io.outrigger.xds.local.DnsResources;
import io.outrigger.xds.local.ResourceDirectory;
import io.outrigger.xds.state.StateFolder;
import io.outrigger.xds.state.StateOrigin;
import io.outrigger.xds.stream.AdsClients;
import io.outrigger.xds.stream.AdsTransport;
import io.outrigger.xds.transport.GrpcAdsTransport;
import io.outrigger.xds.transport.GrpcIstioCa;
import io.outrigger.xds.transport.GrpcWorkloadApi;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root. The constructor creates all components of the sidecar, in the order of
 * their dependencies. {@link #start} opens ports and starts to watch resources. {@link #close}
 * stops the sidecar.
 */
@AnyThread
public final class ProxyApp implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProxyApp.class);
  private static final Duration WAIT_LIMIT = Duration.ofSeconds(2);

  private final ProxyOptions options;
  private final ControlThread control;
  private final BackgroundThread decoding = new BackgroundThread("xds-decode");

  /** A separate thread, so that a hanging file system delays no other work. */
  private final BackgroundThread certificateReading = new BackgroundThread("certificates");

  private final BackgroundThread stateFiles = new BackgroundThread("state");

  private final EventLoops loops;
  private final List<CallLoop> callLoops;
  private final NettyDnsLookup dns;
  private final Optional<Kubernetes> kubernetes;
  private final ControlPlanes controlPlanes = new ControlPlanes();
  private final BootstrapWait wait;
  private final LocalOverlay overlay;
  private final CertificateStore certificates;
  private final TlsContexts tls;
  private final LbCounters counters = new LbCounters();
  private final LoadRegistry loads;
  private final EventLog events;
  private final MemoryGauge memory;
  private final NettyConnector connector;

  // Safe for other threads: metrics may be exported while ports are still being opened.
  private final List<RunningForward> forwards = new CopyOnWriteArrayList<>();
  private final List<RunningServe> serves = new CopyOnWriteArrayList<>();
  private final Optional<StdoutAuditLog> audit;
  private final Drain drain;
  private final AdminState state;
  private final AdminServers admin;
  private final AtomicBoolean closed = new AtomicBoolean();
  private @Nullable ControlThread heapWatch;
  private Optional<AccessLog> access = Optional.empty();
  private Optional<Telemetry> telemetry = Optional.empty();

  private ProxyApp(ProxyOptions options, Function<ControlLoop, NettyDnsLookup> names) {
    this.options = options;
    var workloads =
        new GrpcWorkloadApi(Optional.ofNullable(System.getenv(WorkloadEndpoint.VARIABLE)));
    var random = RandomSource.SYSTEM;
    control = new ControlThread("control");
    events = new EventLog(control);
    memory = PartSettings.memory(options);
    loops = EventLoops.start(options.transport(), options.threads());
    callLoops = CallLoop.of(loops, random);
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
            random,
            workloads,
            new GrpcIstioCa(),
            Optional.ofNullable(System.getenv(SystemRoots.VARIABLE)),
            new CertificateEvents(events));
    wait = new BootstrapWait(options.lookup(), this::startProviders);
    tls = new TlsContexts(control, TlsThreads.start(options.threads()), certificates);
    loads = new LoadRegistry(control);
    connector = new NettyConnector(control, loops, PartSettings.upstream(options, memory), tls);
    audit =
        options.serving().serves().isEmpty()
            ? Optional.empty()
            : Optional.of(StdoutAuditLog.started());
    drain = new Drain(control, events, forwards, serves, options.drain());
    state =
        new AdminState(
            control,
            controlPlanes,
            wait,
            overlay,
            certificates,
            counters,
            events,
            forwards,
            serves,
            audit,
            drain,
            memory,
            new LoopLag(callLoops, System::nanoTime),
            loops.peerErrors(),
            PartSettings.unreadAnswers(memory),
            options);
    admin = new AdminServers(state, connector.sockets());
  }

  public static ProxyApp start(ProxyOptions options) throws StartFailure, InvalidInput {
    return start(options, NettyDnsLookup::new);
  }

  /**
   * Starts a sidecar, and blocks until the sidecar's ports are open. {@link #awaitConfiguration}
   * waits for files of the bootstrap that are missing.
   *
   * @param names creates the DNS resolver
   * @throws StartFailure when a port or the transport cannot be used; no port stays bound
   * @throws InvalidInput when a credential file of the bootstrap or one of OpenTelemetry's
   *     environment variables cannot be used
   */
  public static ProxyApp start(ProxyOptions options, Function<ControlLoop, NettyDnsLookup> names)
      throws StartFailure, InvalidInput {
    ProxyApp app;
    try {
      app = new ProxyApp(options, names);
    } catch (IllegalStateException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
    try {
      boolean known = app.wait.begin(options.source(), app::use);
      app.open();
      if (known) {
        app.control.execute(app::watch);
      }
      return app;
    } catch (StartFailure | InvalidInput failure) {
      app.close();
      throw failure;
    }
  }

  /**
   * Waits until the bootstrap and the files that it names exist, then starts to watch resources.
   * Requests are queued during the wait. Blocks until all files exist or the process shuts down;
   * returns at once when no file was missing at the start.
   *
   * @throws InvalidInput when a file is invalid, or is still missing after {@code
   *     --bootstrap-timeout}
   */
  public void awaitConfiguration() throws InvalidInput {
    if (controlPlanes.known().isEmpty()) {
      wait.await(
          source -> {
            use(source);
            announce(source);
            control.execute(this::watch);
          },
          drain::hasBegun,
          ended());
    }
  }

  /** Creates the clients of the control planes that the source names. Opens no port. */
  private void use(ConfigSource source) throws InvalidInput {
    Optional<ResourceDirectory> files =
        source.isStatic()
            ? Optional.of(
                new ResourceDirectory(control, decoding, source.resources(), source.files()))
            : Optional.empty();
    try {
      var clients =
          new AdsClients(
              control,
              decoding,
              RandomSource.SYSTEM,
              source.bootstrap(),
              ProgramVersion.text(),
              ResourceDecoder::decode,
              server -> transport(server, files),
              new AdsEvents(events));
      controlPlanes.set(new ControlPlanes.Known(source, clients, files));
    } catch (IllegalArgumentException unusable) { // a file that the bootstrap names cannot be used
      String origin = source.bootstrapOrigin().orElse("bootstrap");
      throw new InvalidInput(
          origin + ": " + unusable.getMessage() + "; correct its path or the file");
    }
  }

  private AdsTransport transport(XdsServer server, Optional<ResourceDirectory> files) {
    if (server.equals(DnsResources.SERVER)) {
      return DnsResources.of(control, options.dnsNames());
    }
    return kubernetes
        .flatMap(all -> all.transport(server))
        .or(() -> files.map(ResourceDirectory::transport))
        .orElseGet(() -> new GrpcAdsTransport(control, server));
  }

  /**
   * Runs the certificate providers of {@code bootstrap} and stops all others. Blocks for at most
   * two seconds.
   *
   * @return the reason of the wait for a Workload API or an istio CA; empty when all have answered
   */
  private Optional<String> startProviders(Bootstrap bootstrap) {
    return CompletableFuture.supplyAsync(
            () -> {
              certificates.start(bootstrap.certificateProviders());
              return certificates.lack(CertificateProvider.class);
            },
            control)
        .completeOnTimeout(
            Optional.of("certificate providers are being started"),
            WAIT_LIMIT.toMillis(),
            TimeUnit.MILLISECONDS)
        .join();
  }

  private void open() throws StartFailure, InvalidInput {
    access = PartSettings.accessLog(options);
    telemetry = PartSettings.telemetry(options, this::metrics);
    var pace = new ConnectionPace(control, loops.count() * ConnectionPace.PER_LOOP);
    var opener =
        new PortOpener(
            options,
            control,
            controlPlanes,
            dns,
            target -> pace.of(connector.of(target)),
            new CircuitBreakers(),
            loads,
            counters,
            events,
            loops,
            callLoops,
            HttpFilters.ofProcess(),
            memory,
            tls,
            access,
            telemetry);
    for (var forward : options.forwards()) {
      forwards.add(opener.open(forward));
    }
    for (var serve : options.serving().serves()) {
      serves.add(opener.open(serve, audit.orElseThrow()));
    }
    admin.open();
    announce();
    control.execute(this::startReports);
    heapWatch = HeapWatch.start(memory);
    OutOfMemory.endsHeaviestOf(memory);
  }

  /** Logs the ports. Called when all are open, so that a failed start logs only its reason. */
  private void announce() {
    log.info(
        "outrigger {}, commit {}, Java {}, node {}",
        ProgramVersion.text(),
        ProgramVersion.commit(),
        Runtime.version(),
        controlPlanes.node().id());
    controlPlanes.known().map(ControlPlanes.Known::source).ifPresent(ProxyApp::announce);
    forwards.forEach(
        forward ->
            log.info("forward {}: {} -> {}", forward.name(), forward.listen(), forward.target()));
    serves.stream()
        .map(RunningServe::spec)
        .forEach(spec -> log.info("serve {}: {} -> {}", spec.name(), spec.listen(), spec.app()));
    admin.announce();
  }

  private static void announce(ConfigSource source) {
    if (source.isStatic()) {
      log.info("configuration: static resources {}", source.resources());
    }
    source.warnings().forEach(log::warn);
    source.bootstrapOrigin().ifPresent(origin -> log.info("bootstrap: {}", origin));
  }

  private void startReports() {
    forwards.forEach(forward -> forward.history().start());
    new PeerReports(control, loops.peerErrors(), memory::now, events).start();
  }

  private void watch() {
    ControlPlanes.Known known = controlPlanes.known().orElseThrow();
    known.files().ifPresent(ResourceDirectory::start);
    certificates.start(known.bootstrap().certificateProviders());
    overlay.start();
    known.clients().reportLoad(loads);
    options
        .state()
        .filter(state -> !known.source().isStatic())
        .ifPresent(
            state ->
                known
                    .clients()
                    .keepState(
                        new StateFolder(
                            state.folder(), StateOrigin.of(known.bootstrap()), state.maxAge()),
                        stateFiles,
                        state.after()));
    forwards.forEach(RunningForward::start);
    serves.forEach(serve -> serve.start(control, known));
  }

  /** Returns the metrics for telemetry, on telemetry's own thread. */
  private MetricSnapshots metrics() {
    return state
        .onControl(state::metrics)
        .thenApply(MetricsText::snapshots)
        .exceptionally(
            bug -> {
              log.error("metrics cannot be exported", bug);
              return new MetricSnapshots();
            })
        .toCompletableFuture()
        .completeOnTimeout(new MetricSnapshots(), WAIT_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }

  public ListenAddress listenAddress(String forward) {
    return state.forwards(Optional.of(forward)).get(0).listen();
  }

  /** Returns the address of the server that the flag enables; empty when that server is off. */
  public Optional<InetSocketAddress> address(Flag flag) {
    return admin.address(flag);
  }

  /** Begins the graceful shutdown; the result completes when no stream is left, or on timeout. */
  public CompletableFuture<Void> drain() {
    return drain.begin();
  }

  /** Drains, and then lets the process exit. */
  public void quit() {
    drain.beginAndLeave();
  }

  /** Reopens the file of the access log after a log rotation has renamed the file. */
  public void reopenAccessLog() {
    access.ifPresent(AccessLog::reopen);
  }

  /** Completed when the drain is over and a signal or the admin server has requested the exit. */
  public CompletableFuture<Void> ended() {
    return drain.ended();
  }

  /**
   * Stops the sidecar without a drain, and blocks until ports are closed and loops have stopped.
   * Further calls have no effect.
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    admin.close();
    await(
        onControl(
            () -> {
              List<CompletableFuture<Void>> ports = new ArrayList<>();
              serves.forEach(serve -> ports.add(serve.port().close()));
              forwards.forEach(forward -> ports.add(forward.listener().close()));
              return CompletableFuture.allOf(ports.toArray(CompletableFuture<?>[]::new));
            }));
    telemetry.ifPresent(Telemetry::close); // calls have ended, and the metrics still exist
    Optional<ControlPlanes.Known> known = controlPlanes.known();
    known.ifPresent(each -> await(onControl(each.clients()::finishState)));
    await(
        onControl(
            () -> {
              serves.forEach(RunningServe::release);
              forwards.forEach(forward -> forward.targets().forEach(TargetRuntime::close));
              overlay.close();
              known.ifPresent(each -> each.clients().close());
              certificates.close();
              known.flatMap(ControlPlanes.Known::files).ifPresent(ResourceDirectory::close);
              dns.close();
              kubernetes.ifPresent(Kubernetes::close);
              return CompletableFuture.completedStage(null);
            }));
    control.close();
    ControlThread watched = heapWatch;
    if (watched != null) {
      watched.close();
    }
    decoding.close();
    certificateReading.close();
    stateFiles.close();
    loops.stop(WAIT_LIMIT);
    access.ifPresent(AccessLog::close); // the event loops, which write to the logs, have stopped
    audit.ifPresent(StdoutAuditLog::close);
  }

  /** Starts a task on the control loop; returns a future that completes when the task is done. */
  private CompletableFuture<Void> onControl(Supplier<CompletionStage<Void>> task) {
    var done = new CompletableFuture<Void>();
    control.execute(() -> task.get().whenComplete((result, failure) -> done.complete(null)));
    return done;
  }

  private static void await(CompletableFuture<Void> end) {
    end.completeOnTimeout(null, WAIT_LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
  }
}
