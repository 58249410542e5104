package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.ControlThread;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.memory.HeapWatch;
import io.outrigger.dataplane.memory.OutOfMemory;
import io.outrigger.observe.access.AccessLog;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.events.AdsEvents;
import io.outrigger.observe.metrics.MetricsText;
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.ForwardSpec;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProgramVersion;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ProxyOptions.ConfigSource;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.options.Target;
import io.outrigger.xds.dns.NettyDnsLookup;
import io.outrigger.xds.kubernetes.Kubernetes;
import io.outrigger.xds.local.ResourceDirectory;
import io.outrigger.xds.state.StateFolder;
import io.outrigger.xds.state.StateOrigin;
import io.outrigger.xds.stream.AdsClients;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root. {@link #start} creates all components of the sidecar and opens the ports.
 * {@link #start} or {@link #awaitConfiguration} starts to watch resources when the bootstrap is
 * known. {@link #drain} begins the graceful shutdown. {@link #close} stops the sidecar.
 */
@AnyThread
public final class ProxyApp implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProxyApp.class);
  private static final Duration WAIT_LIMIT = Duration.ofSeconds(2);

  private final Components components;
  private final AdminServers admin;
  private final AtomicBoolean closed = new AtomicBoolean();
  private Optional<ControlThread> heapWatch = Optional.empty();
  private Optional<AccessLog> access = Optional.empty();
  private Optional<Telemetry> telemetry = Optional.empty();

  private ProxyApp(Components components) {
    this.components = components;
    admin = new AdminServers(components);
  }

  public static ProxyApp start(ProxyOptions options) throws StartFailure, InvalidInput {
    return start(options, NettyDnsLookup::new);
  }

  /**
   * Starts a sidecar, and blocks until the sidecar's ports are open. {@link #awaitConfiguration}
   * waits for files of the bootstrap that are missing.
   *
   * @throws StartFailure when a port or the transport cannot be used; no port stays bound
   * @throws InvalidInput when a credential file of the bootstrap or one of OpenTelemetry's
   *     environment variables cannot be used
   */
  public static ProxyApp start(ProxyOptions options, Function<ControlLoop, NettyDnsLookup> dns)
      throws StartFailure, InvalidInput {
    ProxyApp app;
    try {
      app = new ProxyApp(new Components(options, dns));
    } catch (IllegalStateException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
    try {
      boolean known = app.components.bootstrapWait.begin(options.source(), app::use);
      app.open();
      if (known) {
        app.components.control.execute(app::watch);
      }
      app.announce(); // while the first streams open
      return app;
    } catch (StartFailure | InvalidInput failure) {
      app.close();
      throw failure;
    }
  }

  /**
   * Waits until the bootstrap and the files that it names exist, then starts to watch resources.
   * Requests are queued until the files exist. Blocks until all files exist or the process shuts
   * down; returns immediately when no file was missing at the start.
   *
   * @throws InvalidInput when a file is invalid, or is still missing after {@code
   *     --bootstrap-timeout}
   */
  public void awaitConfiguration() throws InvalidInput {
    if (components.controlPlanes.known().isEmpty()) {
      components.bootstrapWait.await(
          source -> {
            use(source);
            announce(source);
            components.control.execute(this::watch);
          },
          components.drain::hasBegun,
          ended());
    }
  }

  /**
   * Creates the clients of the control planes that the source names, and begins to connect. Opens
   * no port.
   */
  private void use(ConfigSource source) throws InvalidInput {
    Optional<ResourceDirectory> files =
        source.isStatic()
            ? Optional.of(
                new ResourceDirectory(
                    components.control, components.decoding, source.resources(), source.files()))
            : Optional.empty();
    try {
      var clients =
          ControlPlanes.clients(
              components.control,
              components.decoding,
              source.bootstrap(),
              components.options.dnsNames(),
              components.kubernetes,
              files,
              new AdsEvents(components.events));
      components.controlPlanes.set(new ControlPlanes.Known(source, clients, files));
      components.control.execute(() -> connect(source, clients));
    } catch (IllegalArgumentException unusable) { // a file that the bootstrap names cannot be used
      String origin = source.bootstrapOrigin().orElse("bootstrap");
      throw new InvalidInput(
          origin + ": " + unusable.getMessage() + "; correct its path or the file");
    }
  }

  /** Begins to connect to the control planes of {@link Target.Xds} targets, while ports open. */
  private void connect(ConfigSource source, AdsClients clients) {
    components.options.forwards().stream()
        .map(ForwardSpec::target)
        .filter(Target.Xds.class::isInstance)
        .flatMap(target -> target.listener(source.bootstrap()).toOptional().stream())
        .forEach(clients::connect);
  }

  private void open() throws StartFailure, InvalidInput {
    access = ComponentSettings.accessLog(components.options);
    telemetry = ComponentSettings.telemetry(components.options, this::metrics);
    var opener = new PortOpener(components, access, telemetry);
    for (var forward : components.options.forwards()) {
      components.forwards.add(opener.open(forward));
    }
    for (var serve : components.options.serving().serves()) {
      components.serves.add(opener.open(serve));
    }
    admin.open(); // after the served addresses, because /app exists only with them
    components.control.execute(
        () -> {
          components.forwards.forEach(forward -> forward.history().start());
          new PeerReports(
                  components.control,
                  components.loops.peerErrors(),
                  components.memory::now,
                  components.events)
              .start();
        });
    heapWatch = Optional.of(HeapWatch.start(components.memory));
    OutOfMemory.endsHeaviestOf(components.memory);
  }

  /** Logs the ports after all were opened: a start that fails must log only its failure. */
  private void announce() {
    log.info(
        "outrigger {}, commit {}, Java {}, node {}",
        ProgramVersion.text(),
        ProgramVersion.commit(),
        Runtime.version(),
        components.controlPlanes.node().id());
    components.controlPlanes.known().map(ControlPlanes.Known::source).ifPresent(ProxyApp::announce);
    components.forwards.forEach(
        forward ->
            log.info("forward {}: {} -> {}", forward.name(), forward.listen(), forward.target()));
    components.serves.stream()
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

  private void watch() {
    ControlPlanes.Known known = components.controlPlanes.known().orElseThrow();
    known.files().ifPresent(ResourceDirectory::start);
    components.certificates.start(known.bootstrap().certificateProviders());
    components.overlay.start();
    known.clients().reportLoad(components.loads);
    components
        .options
        .state()
        .filter(state -> !known.source().isStatic())
        .ifPresent(
            state ->
                known
                    .clients()
                    .keepState(
                        new StateFolder(
                            state.folder(), StateOrigin.of(known.bootstrap()), state.maxAge()),
                        components.stateFiles,
                        state.after()));
    components.forwards.forEach(RunningForward::start);
    components.serves.forEach(serve -> serve.start(components.control, known));
  }

  /** Returns the metrics for telemetry, on telemetry's own thread. */
  private MetricSnapshots metrics() {
    return components
        .onControl(components::metrics)
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
    return components.forwards(Optional.of(forward)).get(0).listen();
  }

  /** Returns the address of the server that the given flag enables; empty if the flag is off. */
  public Optional<InetSocketAddress> address(Flag flag) {
    return admin.address(flag);
  }

  /** Begins the graceful shutdown; the future completes when no stream is left, or on timeout. */
  public CompletableFuture<Void> drain() {
    return components.drain.begin();
  }

  /** Drains, and then lets the process exit. */
  public void quit() {
    components.drain.beginAndLeave();
  }

  /** Reopens the file of the access log after a log rotation has renamed the file. */
  public void reopenAccessLog() {
    access.ifPresent(AccessLog::reopen);
  }

  /** The future completes when the drain is over, if a signal or admin request asked to exit. */
  public CompletableFuture<Void> ended() {
    return components.drain.ended();
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
    awaitOnControl(components.drain::closeAll);
    telemetry.ifPresent(Telemetry::close); // calls have ended, and the metrics still exist
    Optional<ControlPlanes.Known> known = components.controlPlanes.known();
    known.ifPresent(each -> awaitOnControl(each.clients()::finishState));
    awaitOnControl(
        () -> {
          components.serves.forEach(RunningServe::release);
          components.forwards.forEach(forward -> forward.targets().forEach(TargetRuntime::close));
          components.overlay.close();
          known.ifPresent(each -> each.clients().close());
          components.certificates.close();
          known.flatMap(ControlPlanes.Known::files).ifPresent(ResourceDirectory::close);
          components.dns.close();
          components.kubernetes.ifPresent(Kubernetes::close);
          return CompletableFuture.completedStage(null);
        });
    components.control.close();
    heapWatch.ifPresent(ControlThread::close);
    components.decoding.close();
    components.certificateReading.close();
    components.stateFiles.close();
    components.loops.stop(WAIT_LIMIT);
    access.ifPresent(AccessLog::close); // the event loops, which write to the logs, have stopped
    components.audit.ifPresent(StdoutAuditLog::close);
  }

  /** Runs a task on the control loop, and waits for at most two seconds until it is done. */
  private void awaitOnControl(Supplier<CompletionStage<Void>> task) {
    var done = new CompletableFuture<Void>();
    components.control.execute(
        () -> task.get().whenComplete((result, failure) -> done.complete(null)));
    done.completeOnTimeout(null, WAIT_LIMIT.toMillis(), TimeUnit.MILLISECONDS).join();
  }
}
