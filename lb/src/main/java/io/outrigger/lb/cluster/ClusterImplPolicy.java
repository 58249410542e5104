package io.outrigger.lb.cluster;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.SubchannelListener;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.state.ConnectionGroup;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drops calls as the control plane configures (A27), limits the calls in flight (A32), limits the
 * connections of each subchannel beneath (A105), and counts the calls of those subchannels. A
 * change of drops, limits or EDS service name creates a new picker at once (decision lb-0030) and
 * closes no connection; calls in flight are never ended (A32-05).
 */
@ControlConfined
public final class ClusterImplPolicy implements LbPolicy {
  private final LbContext context;
  private final CircuitBreakers breakers;
  private final LbParent parent;
  private final ChildSlot child;
  private final DropCounts drops;
  private final ClusterMeter meter;
  private final PublishGate gate = new PublishGate(this::publish);

  private LbConfig.ClusterImpl config;
  private CircuitBreaker breaker;
  private boolean closed;

  /**
   * @param breakers the circuit breakers of the process, which are shared with other users of the
   *     cluster
   * @param loads collects the counts if the cluster's load is reported
   */
  public ClusterImplPolicy(
      LbContext context,
      PolicyFactory factory,
      CircuitBreakers breakers,
      LoadRegistry loads,
      LbConfig.ClusterImpl config,
      LbParent parent) {
    this.context = context;
    this.breakers = breakers;
    this.breaker = breakers.acquire(config.cluster(), config.edsServiceName());
    this.drops = new DropCounts();
    this.meter = new ClusterMeter(loads, config.cluster(), drops);
    this.config = config;
    this.parent = parent;
    this.child =
        new ChildSlot(
            factory,
            new ComposedParent(
                this::newSubchannel,
                (state, picker) -> gate.request(),
                parent::requestReresolution));
  }

  @Override
  public void update(LbConfig next) {
    LbConfig.ClusterImpl before = config;
    config = (LbConfig.ClusterImpl) next;
    if (!config.edsServiceName().equals(before.edsServiceName())) {
      breaker = breakers.acquire(config.cluster(), config.edsServiceName()); // A32-09
      breakers.release(before.cluster(), before.edsServiceName());
    }
    drops.update(config.drops(), meter.server().isPresent());
    meter.report(config.edsServiceName(), config.loadReporting());
    meter.note(config.note().note());
    if (config.maxConnections() != before.maxConnections()) { // existing subchannels change
      meter.inUse().forEach(subchannel -> subchannel.limitConnections(config.maxConnections()));
    }
    gate.publishAfter(() -> child.update(config.child()));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      child.close();
      meter.close();
      breakers.release(config.cluster(), config.edsServiceName());
    }
  }

  @Override
  public void accept(NodeVisitor visitor, String name, boolean isUsed) {
    List<String> shares = config.drops().stream().map(ClusterImplPolicy::describe).toList();
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("eds_service_name", config.edsServiceName());
    settings.put("max_requests", config.maxRequests());
    settings.put("max_connections_per_subchannel", config.maxConnections());
    settings.put("drops", shares);
    meter.server().ifPresent(server -> settings.put("load_reports_to", server.uri()));
    visitor.enter(new NodeHead(name, config.policy(), child.state(), settings, detail(), isUsed));
    child.accept(visitor, name, true);
    visitor.leave();
  }

  /**
   * Describes how many calls are in flight, and how many were dropped or refused since the cluster
   * was created.
   */
  private String detail() {
    long inFlight = breaker.inFlight();
    var detail = new StringBuilder();
    detail.append(Count.of(inFlight, "request")).append(" in flight");
    for (DropCategory drop : config.drops()) {
      detail.append(", %d dropped (%s)".formatted(drops.of(drop).total(), drop.category()));
    }
    long refused = drops.refused().total();
    if (refused > 0) {
      detail.append(", %d refused".formatted(refused));
    }
    return detail.toString();
  }

  private static String describe(DropCategory drop) {
    return drop.category() + ": " + drop.share().numerator() + "/" + drop.share().denominator();
  }

  private void publish() {
    if (!closed) {
      parent.publish(
          child.state(),
          new ClusterPicker(config, context.random(), breaker, drops, child.picker()));
    }
  }

  private Subchannel newSubchannel(
      Backend backend, EndpointAddress address, SubchannelListener listener) {
    var connections =
        new ConnectionMeter(
            context.observer(),
            new ConnectionGroup(config.cluster(), backend.locality(), address.tls().isPresent()),
            listener);
    Subchannel subchannel = parent.newSubchannel(backend, address, connections);
    subchannel.limitConnections(config.maxConnections());
    var counted =
        new CountedSubchannel(subchannel, context.loops(), backend.locality(), meter, connections);
    meter.add(counted);
    return counted;
  }
}
