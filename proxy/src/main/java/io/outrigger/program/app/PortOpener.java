package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
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
import io.outrigger.dataplane.forward.AuthorityMode;
import io.outrigger.dataplane.forward.Forward;
import io.outrigger.dataplane.forward.TargetResolver;
import io.outrigger.dataplane.serve.AppCluster;
import io.outrigger.dataplane.serve.ServedListener;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.observe.access.AccessLog;
import io.outrigger.observe.events.DnsEvents;
import io.outrigger.observe.events.LbEvents;
import io.outrigger.observe.history.TrafficHistory;
import io.outrigger.observe.telemetry.Telemetry;
import io.outrigger.program.options.ForwardSpec;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ServeSpec;
import io.outrigger.program.options.StartFailure;
import io.outrigger.program.options.Target;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.XdsClient;
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

/**
 * Creates the {@link RunningForward} of each {@code --forward}, and opens its port. Creates the
 * {@link RunningServe} of each {@code --serve}; its port opens later, when the control plane has
 * sent the configuration of the port.
 */
@AnyThread
record PortOpener(
    Components components, Optional<AccessLog> access, Optional<Telemetry> telemetry) {
  private static final RandomSource RANDOM = RandomSource.SYSTEM;

  /**
   * Opens the local port of a {@code --forward}, but does not start its targets.
   *
   * @throws StartFailure when the port cannot be bound
   * @throws InvalidInput when the host of the port is unknown
   */
  RunningForward open(ForwardSpec spec) throws StartFailure, InvalidInput {
    boolean isFixed = !(components.options.routing().authority() instanceof AuthorityMode.Preserve);
    Optional<TargetRuntime> fixedTarget =
        isFixed && spec.target() instanceof Target.Single single
            ? Optional.of(target(spec, single.dataPlaneAuthority()))
            : Optional.empty();
    Optional<AuthorityTargets> targetsByAuthority =
        fixedTarget.isPresent()
            ? Optional.empty()
            : Optional.of(
                new AuthorityTargets(
                    components.control,
                    components.options.limits().maxTargets(),
                    authority -> target(spec, authority)));
    var history =
        new TrafficHistory(spec.name(), components.control, List.copyOf(components.callLoops));
    var forward =
        new Forward(
            spec.name(),
            ComponentSettings.forward(components.options, () -> nodeId(spec.target())),
            fixedTarget.map(TargetResolver::fixed).orElseGet(targetsByAuthority::orElseThrow),
            access.map(lines -> history.and(lines.of(spec.name(), false))).orElse(history),
            telemetry.map(Telemetry::tracer).orElse(CallTracer.NONE),
            components.memory,
            components.loops.count());
    Http2Listener listener = listen(spec, forward);
    ListenAddress bound =
        spec.listen() instanceof ListenAddress.Tcp tcp
            ? new ListenAddress.Tcp(tcp.host(), listener.port())
            : spec.listen();
    return new RunningForward(
        spec.name(),
        bound,
        spec.target().toString(),
        listener,
        fixedTarget,
        targetsByAuthority,
        history);
  }

  /** Returns the node id for a target's error messages; empty without a control plane (A88-24). */
  private String nodeId(Target target) {
    return target.ownServer().isEmpty() ? components.controlPlanes.node().id() : "";
  }

  private Http2Listener listen(ForwardSpec spec, Forward forward)
      throws StartFailure, InvalidInput {
    SocketAddress address =
        spec.listen() instanceof ListenAddress.Unix unix
            ? UnixDomainSocketAddress.of(Path.of(unix.path()))
            : tcp((ListenAddress.Tcp) spec.listen());
    try {
      return Http2Listener.bind(
          address,
          components.loops,
          components.callLoops,
          forward,
          ComponentSettings.listener(components.options, components.memory));
    } catch (IOException e) {
      throw StartFailure.cannotBind("--forward " + spec, e);
    }
  }

  private static InetSocketAddress tcp(ListenAddress.Tcp address) {
    return new InetSocketAddress(address.host(), address.port());
  }

  /**
   * Creates the {@link RunningServe} of a {@code --serve} and starts to connect to the app, but
   * does not open the port. The work is done on the control loop; this method blocks until it is
   * done.
   */
  RunningServe open(ServeSpec spec) {
    return CompletableFuture.supplyAsync(() -> make(spec), components.control).join();
  }

  private RunningServe make(ServeSpec spec) {
    var calls =
        new Forward(
            spec.name(),
            ComponentSettings.serving(components.options),
            TargetResolver.none(),
            access.map(lines -> lines.of(spec.name(), true)).orElse(call -> {}),
            telemetry.map(Telemetry::serverTracer).orElse(CallTracer.NONE),
            components.memory,
            components.loops.count());
    var reports = new ServingReports(components.events, spec.name());
    var records =
        new ServeRecords(
            spec.name(),
            reports,
            components.audit.orElseThrow(),
            components.control,
            components.events,
            System::nanoTime);
    var app = app(spec);
    var port =
        new ServedListener(
            components.control,
            components.loops,
            components.callLoops,
            calls,
            ComponentSettings.listener(components.options, components.memory).forUntrustedCallers(),
            tcp(spec.listen()),
            components.options.serving().settings(),
            app,
            components.tls,
            RANDOM,
            records);
    return new RunningServe(spec, calls, app, port, reports, records);
  }

  /**
   * Creates the target of the requests with the given authority. The bootstrap may be unknown until
   * the target is started. Virtual hosts are matched against {@code requestAuthority}; if {@code
   * --authority} is a fixed text, virtual hosts are matched against this text instead.
   */
  private TargetRuntime target(ForwardSpec spec, String requestAuthority) {
    String forward = spec.name();
    Target.Single target =
        spec.target() instanceof Target.Single single
            ? single
            : new Target.Xds(Optional.empty(), requestAuthority);
    String name = target.toString();
    ProxyOptions.Routing routing = components.options.routing();
    String authority =
        routing.authority() instanceof AuthorityMode.Fixed fixed ? fixed.text() : requestAuthority;
    ProxyOptions.Measurement measurement = components.options.measurement();
    boolean namesPriorities =
        measurement.otlp().isPresent()
            || measurement.calls().callDelays()
            || measurement.calls().attemptDelays();
    return new TargetRuntime(
        components.control,
        name,
        authority,
        components.filters,
        routing.ignoreRouteTimeout(),
        new TargetReports(components.events, forward, name, routing.ignoreRouteTimeout()),
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
    var events = new LbEvents(components.events, target.forward());
    LbObserver observer = components.counters.of(target.target(), events);
    return new ClusterManager(
        new LbContext(
            components.control, RANDOM, observer, components.loops.count(), namesPriorities),
        components.connector(target),
        components.breakers,
        components.loads,
        components.options.routing().aggregatesDecide(),
        listener);
  }

  /** Resolves the host name of an app now, and then in the interval of {@code --dns-refresh}. */
  private void follow(AppCluster app, ListenAddress.Tcp address, String serve) {
    var name =
        new DnsName(
            components.control,
            new DnsEvents(components.dns, components.events, serve),
            RANDOM,
            components.options.routing().dnsRefresh(),
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
    ControlPlanes.Known known = components.controlPlanes.known().orElseThrow();
    return target
        .listener(known.bootstrap())
        .match(
            listener ->
                Outcome.ok(
                    new XdsDependencyManager(
                            components.control,
                            client(target, known.clients()),
                            new DnsEvents(components.dns, components.events, forward),
                            listener,
                            authority,
                            nodeId(target),
                            target.ownServer().isPresent() ? new UntilResolved(configs) : configs,
                            RANDOM)
                        .refreshNames(
                            target instanceof Target.Dns
                                ? components.options.routing().dnsRefresh()
                                : Duration.ZERO)),
            Outcome::failed);
  }
}
