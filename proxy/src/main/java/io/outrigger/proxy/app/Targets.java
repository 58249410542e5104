package io.outrigger.proxy.app;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.Outcome;
import io.outrigger.base.RandomSource;
import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.ListenerNames;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.tree.CircuitBreakers;
import io.outrigger.lb.tree.ClusterManager;
import io.outrigger.proxy.events.EventLog;
import io.outrigger.proxy.events.LbEvents;
import io.outrigger.proxy.filter.HttpFilters;
import io.outrigger.proxy.metrics.LbCounters;
import io.outrigger.proxy.options.XdsTarget;
import io.outrigger.proxy.upstream.NettyConnector;
import io.outrigger.proxy.upstream.SubchannelName.TargetName;
import io.outrigger.xds.deps.DnsLookup;
import io.outrigger.xds.deps.XdsDependencyManager;

/**
 * Makes targets out of what they all share: the xDS clients, one connector, the HTTP filters, what
 * the process counts: circuit breakers and load.
 *
 * @param loops how many event loops pick
 */
@AnyThread
record Targets(
    ControlLoop control,
    RandomSource random,
    ControlPlanes controlPlanes,
    DnsLookup dns,
    NettyConnector connector,
    CircuitBreakers breakers,
    LoadRegistry loads,
    LbCounters counters,
    EventLog events,
    int loops,
    HttpFilters filters,
    boolean aggregatesDecide,
    boolean ignoreRouteTimeout) {
  /**
   * A target, which needs to know the control planes when it is started.
   *
   * @param forward whose it is
   * @param authority the data-plane authority, which virtual hosts match
   */
  TargetRuntime make(String forward, XdsTarget.Service service, String authority) {
    return new TargetRuntime(
        control,
        service.toString(),
        authority,
        filters,
        ignoreRouteTimeout,
        clusters -> {
          var manager =
              new ClusterManager(
                  control,
                  connector.of(new TargetName(forward, service.toString(), authority)),
                  random,
                  breakers,
                  loads,
                  counters.of(service.toString()).and(new LbEvents(events, forward)),
                  loops,
                  clusters);
          return aggregatesDecide ? manager.letAggregatesDecide() : manager;
        },
        configs -> dependencies(service, authority, configs));
  }

  /** Fails when the bootstrap does not know the target's xDS authority. */
  private Outcome<XdsDependencyManager> dependencies(
      XdsTarget.Service service, String authority, XdsDependencyManager.Listener configs) {
    ControlPlanes.Known known = controlPlanes.known().orElseThrow();
    Bootstrap bootstrap = known.bootstrap();
    return ListenerNames.of(bootstrap, service.authority(), service.path())
        .match(
            listener ->
                Outcome.ok(
                    new XdsDependencyManager(
                        control,
                        known.clients().of(service.toString()),
                        dns,
                        listener,
                        authority,
                        bootstrap.node().id(),
                        configs)),
            Outcome::failed);
  }
}
