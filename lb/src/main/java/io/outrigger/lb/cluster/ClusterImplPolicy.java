package io.outrigger.lb.cluster;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.RandomSource;
import io.outrigger.config.endpoint.DropCategory;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.lb.Backend;
import io.outrigger.lb.ChildSlot;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbNode;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.Picker;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.PublishGate;
import io.outrigger.lb.Subchannel;
import io.outrigger.lb.SubchannelListener;
import java.util.List;
import java.util.Map;

/**
 * Drops calls as the control plane asks (A27), limits those in flight (A32), and counts the calls
 * of each subchannel beneath. A change of limits makes a new picker and touches no connection;
 * calls in flight are never cut (A32-05).
 */
@ControlConfined
public final class ClusterImplPolicy implements LbPolicy {
  private final RandomSource random;
  private final CircuitBreaker breaker;
  private final Runnable releaseBreaker;
  private final int loops;
  private final LbParent parent;
  private final ChildSlot child;
  private final PublishGate gate = new PublishGate(this::publish);

  private LbConfig.ClusterImpl config;
  private boolean closed;

  /**
   * @param breaker counts for this cluster, wherever else it is used
   * @param releaseBreaker called once, on close; calls in flight may still use the breaker
   */
  public ClusterImplPolicy(
      PolicyFactory factory,
      RandomSource random,
      CircuitBreaker breaker,
      Runnable releaseBreaker,
      int loops,
      LbConfig.ClusterImpl config,
      LbParent parent) {
    this.random = random;
    this.breaker = breaker;
    this.releaseBreaker = releaseBreaker;
    this.loops = loops;
    this.config = config;
    this.parent = parent;
    this.child = new ChildSlot(factory, new ChildParent());
  }

  @Override
  public void update(LbConfig next) {
    config = (LbConfig.ClusterImpl) next;
    gate.publishAfter(() -> child.update(config.child()));
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      child.close();
      releaseBreaker.run();
    }
  }

  @Override
  public LbNode describe(String name) {
    List<String> drops = config.drops().stream().map(ClusterImplPolicy::describe).toList();
    return LbNode.inner(
        name,
        config,
        child.state(),
        Map.of(
            "eds_service_name", config.edsServiceName(),
            "max_requests", config.maxRequests(),
            "drops", drops),
        breaker.inFlight() + " requests in flight",
        List.of(child.describe(name)));
  }

  private static String describe(DropCategory drop) {
    return drop.category() + ": " + drop.share().numerator() + "/" + drop.share().denominator();
  }

  private void publish() {
    if (!closed) {
      parent.publish(child.state(), new ClusterPicker(config, random, breaker, child.picker()));
    }
  }

  private final class ChildParent implements LbParent {
    @Override
    public Subchannel newSubchannel(
        Backend backend, EndpointAddress address, SubchannelListener listener) {
      return new CountedSubchannel(
          parent.newSubchannel(backend, address, listener), breaker, loops);
    }

    @Override
    public void publish(Connectivity childState, Picker childPicker) {
      gate.request();
    }

    @Override
    public void requestReresolution() {
      parent.requestReresolution();
    }
  }
}
