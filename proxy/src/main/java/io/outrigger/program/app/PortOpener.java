package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlThread;
import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.dataplane.calls.CallTracer;
import io.outrigger.dataplane.downstream.Http2Listener;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.forward.CallLoop;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.memory.MemoryGauge;
import io.outrigger.dataplane.serve.AppCluster;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.dataplane.tls.TlsContexts;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.http2.EventLoops;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.Connector;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.tree.LbLog;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.observe.access.AccessLog;
import io.outrigger.observe.access.StdoutAuditLog;
import io.outrigger.observe.events.DnsEvents;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.events.LbEvents;
import io.outrigger.observe.history.TrafficHistory;
import io.outrigger.observe.metrics.LbCounters;
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.ForwardSpec;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ServeSpec;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.options.Target;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
import io.outrigger.xds.deps.DnsLookup;
import io.outrigger.xds.deps.DnsName;
import io.outrigger.xds.deps.XdsDependencyManager;
import io.outrigger.xds.stream.AdsClients;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Opens the forwards and the served addresses of the options: their targets, their calls and their
 * ports.
 *
 * @param connectors creates the connector for the endpoints of a target
 */
@AnyThread
record PortOpener(
    ProxyOptions options,
    ControlThread control,
    ControlPlanes controlPlanes,
    DnsLookup dns,
    Function<TargetName, Connector> connectors,
    CircuitBreakers breakers,
    LoadRegistry loads,
    LbCounters counters,
    EventLog events,
    EventLoops loops,
    List<CallLoop> callLoops,
    HttpFilters filters,
    MemoryGauge memory,
    TlsContexts tls,
    Optional<AccessLog> access,
    Optional<Telemetry> telemetry) {
  private static final RandomSource RANDOM = RandomSource.SYSTEM;

  /**
   * Opens the local port of a {@code --forward}. No xDS resource is watched yet.
   *
   * @throws StartFailure when the port cannot be bound
   */
  RunningForward open(ForwardSpec spec) throws StartFailure {
    Optional<TargetRuntime> fixedTarget = fixedTarget(spec);
    Optional<AuthorityTargets> targetsByAuthority =
        fixedTarget.isPresent()
            ? Optional.empty()
            : Optional.of(
                new AuthorityTargets(control, options.limits().maxTargets(), targetMaker(spec)));
    var history = new TrafficHistory(spec.name(), control, List.copyOf(callLoops));
    var forward =
        new Forward(
            spec.name(),
            PartSettings.forward(options, () -> nodeId(spec.target())),
            fixedTarget.map(TargetResolver::fixed).orElseGet(targetsByAuthority::orElseThrow),
            access.map(lines -> history.and(lines.of(spec.name(), false))).orElse(history),
            telemetry.map(Telemetry::tracer).orElse(CallTracer.NONE),
            memory,
            loops.count());
    Http2Listener listener = listen(spec, forward);
    ListenAddress bound = bound(spec.listen(), listener.port());
    return new RunningForward(
        spec.name(),
        bound,
        spec.target().toString(),
        listener,
        fixedTarget,
        targetsByAuthority,
        history);
  }

  /** Returns the target of all requests; empty when each request's authority names its target. */
  private Optional<TargetRuntime> fixedTarget(ForwardSpec spec) {
    AuthorityMode mode = options.routing().authority();
    if (mode instanceof AuthorityMode.Preserve
        || !(spec.target() instanceof Target.Single target)) {
      return Optional.empty();
    }
    String authority =
        mode instanceof AuthorityMode.Fixed fixed ? fixed.text() : target.dataPlaneAuthority();
    return Optional.of(target(spec.name(), target, authority));
  }

  /**
   * Returns a function that creates the target of a request's authority. If {@code --authority} is
   * a fixed text, virtual hosts match that text, and the request's authority only selects the
   * target.
   */
  private Function<String, TargetRuntime> targetMaker(ForwardSpec spec) {
    Optional<String> fixed =
        options.routing().authority() instanceof AuthorityMode.Fixed f
            ? Optional.of(f.text())
            : Optional.empty();
    return authority ->
        target(
            spec.name(),
            spec.target() instanceof Target.Single single
                ? single
                : new Target.Xds(Optional.empty(), authority),
            fixed.orElse(authority));
  }

  /** Returns the node id for a target's error messages; empty without a control plane (A88-24). */
  private String nodeId(Target target) {
    return target.ownServer().isEmpty() ? controlPlanes.node().id() : "";
  }

  private Http2Listener listen(ForwardSpec spec, Forward forward) throws StartFailure {
    SocketAddress address =
        spec.listen() instanceof ListenAddress.Unix unix
            ? UnixDomainSocketAddress.of(Path.of(unix.path()))
            : tcp((ListenAddress.Tcp) spec.listen());
    try {
      return Http2Listener.bind(
          address, loops, callLoops, forward, PartSettings.listener(options, memory));
    } catch (IOException e) {
      throw StartFailure.cannotBind("--forward " + spec, e);
    }
  }

  private static ListenAddress bound(ListenAddress asked, int port) {
    return asked instanceof ListenAddress.Tcp tcp ? new ListenAddress.Tcp(tcp.host(), port) : asked;
  }

  private static InetSocketAddress tcp(ListenAddress.Tcp address) {
    return new InetSocketAddress(address.host(), address.port());
  }

  /**
   * Creates a served address without opening its port, and starts to connect to its app. Blocks
   * until the control loop has created the address.
   */
  RunningServe open(ServeSpec spec, StdoutAuditLog audit) {
    return CompletableFuture.supplyAsync(() -> make(spec, audit), control).join();
  }

  private RunningServe make(ServeSpec spec, StdoutAuditLog audit) {
    var calls =
        new Forward(
            spec.name(),
            PartSettings.serving(options),
            TargetResolver.none(),
            access.map(lines -> lines.of(spec.name(), true)).orElse(call -> true),
            telemetry.map(Telemetry::serverTracer).orElse(CallTracer.NONE),
            memory,
            loops.count());
    var reports = new ServingReports(events, spec.name());
    var records = new ServeRecords(spec.name(), reports, audit, control, events, System::nanoTime);
    var app = app(spec);
    var port =
        new ServedListener(
            control,
            loops,
            callLoops,
            calls,
            PartSettings.listener(options, memory).forUntrustedCallers(),
            tcp(spec.listen()),
            options.serving().settings(),
            app,
            tls,
            RANDOM,
            records);
    return new RunningServe(spec, calls, app, port, reports, records);
  }

  /**
   * Creates a target. The control planes need not be known before the target is started.
   *
   * @param forward the name of the forward that uses the target
   * @param authority the data-plane authority, which virtual hosts match
   */
  private TargetRuntime target(String forward, Target.Single target, String authority) {
    String name = target.toString();
    ProxyOptions.Routing routing = options.routing();
    ProxyOptions.Measurement measurement = options.measurement();
    boolean namesPriorities =
        measurement.otlp().isPresent()
            || measurement.calls().callDelays()
            || measurement.calls().attemptDelays();
    return new TargetRuntime(
        control,
        name,
        authority,
        filters,
        routing.ignoreRouteTimeout(),
        new TargetReports(events, forward, name, routing.ignoreRouteTimeout()),
        clusters -> balancing(new TargetName(forward, name, authority), namesPriorities, clusters),
        configs -> dependencies(forward, target, authority, configs));
  }

  /** Runs on the control loop. */
  private AppCluster app(ServeSpec serve) {
    String name = serve.app().toString();
    var app =
        new AppCluster(
            serve.name(),
            name,
            clusters -> balancing(new TargetName(serve.name(), name, ""), false, clusters));
    if (serve.app() instanceof ListenAddress.Unix unix) {
      return app.at(List.of(EndpointAddress.unix(unix.path())));
    }
    ListenAddress.Tcp tcp = (ListenAddress.Tcp) serve.app();
    Optional<String> ip = IpAddress.canonical(tcp.host());
    if (ip.isPresent()) {
      return app.at(List.of(new EndpointAddress(ip.get(), tcp.port())));
    }
    follow(app, tcp, serve.name());
    return app;
  }

  private ClusterManager balancing(
      TargetName target, boolean namesPriorities, ClusterManager.Listener listener) {
    LbObserver observer =
        new LbLog().and(counters.of(target.target())).and(new LbEvents(events, target.forward()));
    return new ClusterManager(
        new LbContext(control, RANDOM, observer, loops.count(), namesPriorities),
        connectors.apply(target),
        breakers,
        loads,
        options.routing().aggregatesDecide(),
        listener);
  }

  /** Resolves the host name of an app now, and again after each {@code --dns-refresh}. */
  private void follow(AppCluster app, ListenAddress.Tcp address, String serve) {
    var name =
        new DnsName(
            control,
            new DnsEvents(dns, events, serve),
            RANDOM,
            options.routing().dnsRefresh(),
            new ClusterSource.Dns(address.host(), address.port(), true),
            new ResourceWatcher<>() {
              @Override
              public void onChanged(Outcome<EndpointSet> endpoints) {
                app.endpoints(endpoints);
              }

              @Override
              public void onAmbientError(RpcStatus status) {} // the known addresses stay in use
            });
    app.follow(name::requestReresolution, name::close);
    name.start();
  }

  static XdsClient client(Target.Single target, AdsClients clients) {
    String name = target.toString();
    return target
        .ownServer()
        .map(server -> clients.of(name, server))
        .orElseGet(() -> clients.of(name));
  }

  /**
   * Returns the resource graph of a target; fails when the bootstrap does not contain the target's
   * xDS authority.
   */
  private Outcome<XdsDependencyManager> dependencies(
      String forward,
      Target.Single target,
      String authority,
      XdsDependencyManager.Listener configs) {
    ControlPlanes.Known known = controlPlanes.known().orElseThrow();
    return target
        .listener(known.bootstrap())
        .match(
            listener ->
                Outcome.ok(
                    new XdsDependencyManager(
                            control,
                            client(target, known.clients()),
                            new DnsEvents(dns, events, forward),
                            listener,
                            authority,
                            nodeId(target),
                            target.ownServer().isPresent() ? new UntilResolved(configs) : configs,
                            RANDOM)
                        .refreshNames(
                            target instanceof Target.Dns
                                ? options.routing().dnsRefresh()
                                : Duration.ZERO)),
            Outcome::failed);
  }
}
