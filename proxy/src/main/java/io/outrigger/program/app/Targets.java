package io.outrigger.program.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.IpAddress;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterSource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.EndpointSet;
import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.dataplane.filter.HttpFilters;
import io.outrigger.dataplane.serve.AppCluster;
import io.outrigger.dataplane.upstream.NettyConnector;
import io.outrigger.dataplane.upstream.SubchannelName.TargetName;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.subchannel.ConnectionPace;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.lb.tree.LbLog;
import io.outrigger.lb.view.LbObserver;
import io.outrigger.observe.events.DnsEvents;
import io.outrigger.observe.events.EventLog;
import io.outrigger.observe.events.LbEvents;
import io.outrigger.observe.metrics.LbCounters;
import io.outrigger.program.options.DnsTarget;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ServeSpec;
import io.outrigger.program.options.Target;
import io.outrigger.program.options.XdsTarget;
import io.outrigger.xds.ResourceWatcher;
import io.outrigger.xds.deps.DnsLookup;
import io.outrigger.xds.deps.DnsName;
import io.outrigger.xds.deps.XdsDependencyManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Creates targets from the parts that all targets share: the xDS clients, the connector, the HTTP
 * filters, the circuit breakers and the load counters.
 */
@AnyThread
record Targets(
    ControlLoop control,
    RandomSource random,
    ControlPlanes controlPlanes,
    DnsLookup dns,
    NettyConnector connector,
    ConnectionPace pace,
    CircuitBreakers breakers,
    LoadRegistry loads,
    LbCounters counters,
    EventLog events,
    int loops,
    HttpFilters filters,
    ProxyOptions.Routing routing,
    boolean namesPriorities) {
  /**
   * Creates a target. The control planes must be known when the target is started, not before.
   *
   * @param forward the name of the forward that uses the target
   * @param authority the data-plane authority, which virtual hosts match
   */
  TargetRuntime make(String forward, Target.Single target, String authority) {
    String name = target.toString();
    return new TargetRuntime(
        control,
        name,
        authority,
        filters,
        routing.ignoreRouteTimeout(),
        new TargetReports(events, forward, name, routing.ignoreRouteTimeout()),
        clusters ->
            balancing(new TargetName(forward, name, authority), namesPriorities, clusters),
        configs -> dependencies(forward, target, authority, configs));
  }

  /** Creates the way to the app of a served address. Runs on the control loop. */
  AppCluster app(ServeSpec serve) {
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
        new LbLog()
            .and(counters.of(target.target()))
            .and(new LbEvents(events, target.forward()));
    return new ClusterManager(
        new LbContext(control, random, observer, loops, namesPriorities),
        pace.of(connector.of(target)),
        breakers,
        loads,
        routing.aggregatesDecide(),
        listener);
  }

  /** Looks up the name of an app's host, and again every {@code --dns-refresh}. */
  private void follow(AppCluster app, ListenAddress.Tcp address, String serve) {
    var name =
        new DnsName(
            control,
            new DnsEvents(dns, events, serve),
            random,
            routing.dnsRefresh(),
            new ClusterSource.Dns(address.host(), address.port(), true),
            new ResourceWatcher<>() {
              @Override
              public void onChanged(Outcome<EndpointSet> endpoints) {
                app.endpoints(endpoints);
              }

              @Override
              public void onAmbientError(RpcStatus status) {} // the known addresses stay in use
            });
    app.follow(
        new AppCluster.Addresses() {
          @Override
          public void refresh() {
            name.requestReresolution();
          }

          @Override
          public void close() {
            name.close();
          }
        });
    name.start();
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
    return ConfigRoot.of(target, known.bootstrap(), known.clients())
        .match(
            root ->
                Outcome.ok(
                    new XdsDependencyManager(
                            control,
                            root.client(),
                            new DnsEvents(dns, events, forward),
                            root.listener(),
                            authority,
                            known.bootstrap().node().id(),
                            target instanceof XdsTarget.Service
                                ? configs
                                : new UntilResolved(configs),
                            RandomSource.SYSTEM)
                        .refreshNames(
                            target instanceof DnsTarget ? routing.dnsRefresh() : Duration.ZERO)),
            Outcome::failed);
  }
}
