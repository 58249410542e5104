package io.outrigger.lb.cluster;

import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.base.RandomSource;
import io.outrigger.base.RandomSource.Purpose;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.CircuitBreakers;
import io.outrigger.lb.ComposedParent;
import io.outrigger.lb.LbContext;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PickContext;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.PickResult.Reason;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PlannedCall;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.cluster.DropCounts.DropCount;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.config.FailureNote;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.state.ConnectionEvent;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drops calls as the control plane configures (A27). Limits the calls in flight (A32) and the
 * connections of each subchannel (A105). Counts the calls of the subchannels. If drops, limits or
 * the EDS service name change, a new picker is created immediately (decision lb-0030). An update
 * ends neither connections nor calls in flight (A32-05).
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
    meter.note(config.note());
    if (config.maxConnections() != before.maxConnections()) {
      meter.inUse().forEach(subchannel -> subchannel.limitConnections(config.maxConnections()));
    }
    gate.publishAfter(() -> child.update(config.child()));
  }

  @Override
  public void close() {
    if (!gate.isClosed()) {
      gate.close();
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
    visitor.enter(new LbNode(name, config.policy(), child.state(), settings, detail(), isUsed));
    child.accept(visitor, name, true);
    visitor.leave();
  }

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
    parent.publish(
        child.state(), new ClusterPicker(config, context.random(), breaker, drops, child.picker()));
  }

  private Subchannel newSubchannel(
      Backend backend, EndpointAddress address, Subchannel.Listener listener) {
    var group =
        new ConnectionEvent.Group(config.cluster(), backend.locality(), address.tls().isPresent());
    var counted = new CountedSubchannel(context, group, meter, listener);
    counted.wrap(parent.newSubchannel(backend, address, counted));
    counted.limitConnections(config.maxConnections());
    meter.add(counted);
    return counted;
  }

  /**
   * Applies drops to a call, then picks a subchannel, then counts the call.
   *
   * <p>Each pick makes an independent random draw for each drop category, in order (A27-10). The
   * draws come before the child's pick, so that drops also apply to calls that would wait (A27-11,
   * decision lb-0004). A call counts as in flight when its subchannel is chosen, not while it waits
   * for a picker (A32-04). The subchannel does not count a pick that the breaker refuses.
   */
  @AnyThread
  private static final class ClusterPicker implements Picker {
    private final RandomSource random;
    private final CircuitBreaker breaker;
    private final long maxRequests;
    private final PickPlan.Drop[] drops;
    private final DropCount[] counts;
    private final PickResult full;
    private final DropCount refused;
    private final Picker child;

    ClusterPicker(
        LbConfig.ClusterImpl config,
        RandomSource random,
        CircuitBreaker breaker,
        DropCounts counts,
        Picker child) {
      this.random = random;
      this.breaker = breaker;
      this.maxRequests = config.maxRequests();
      this.drops =
          config.drops().stream()
              .map(category -> new PickPlan.Drop(category, dropped(category, config.note())))
              .toArray(PickPlan.Drop[]::new);
      this.counts = config.drops().stream().map(counts::of).toArray(DropCount[]::new);
      this.refused = counts.refused();
      String reason =
          maxRequests + " requests are in flight, its limit (circuit_breakers.max_requests)";
      this.full = new PickResult.Drop(config.note().unavailable(reason), Reason.CIRCUIT_BREAKER);
      this.child = child;
    }

    private static PickResult dropped(DropCategory category, FailureNote note) {
      String reason =
          "dropped by overload category \"" + category.category() + "\" of its drop_overloads";
      return new PickResult.Drop(note.unavailable(reason), Reason.OVERLOAD_DROP);
    }

    @Override
    public PickResult pick(PickContext call) {
      for (int i = 0; i < drops.length; i++) {
        if (drops[i].category().share().draw(random, Purpose.DROP)) {
          counts[i].onDrop();
          return drops[i].result();
        }
      }
      PickResult result = child.pick(call);
      if (result instanceof PickResult.Use use) {
        if (!breaker.tryAcquire(maxRequests)) {
          refused.onDrop();
          return full;
        }
        use.subchannel().callStarted(call);
        return use.countedBy(breaker);
      }
      return result;
    }

    @Override
    public PickPlan plan(PlannedCall call) {
      PickPlan limited =
          new PickPlan.Limited(breaker.inFlight(), maxRequests, full, child.plan(call));
      return drops.length == 0 ? limited : new PickPlan.Dropping(List.of(drops), limited);
    }
  }
}
