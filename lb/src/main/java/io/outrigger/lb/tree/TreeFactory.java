package io.outrigger.lb.tree;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.ControlLoop;
import io.outrigger.base.RandomSource;
import io.outrigger.lb.CircuitBreaker;
import io.outrigger.lb.LbConfig;
import io.outrigger.lb.LbObserver;
import io.outrigger.lb.LbParent;
import io.outrigger.lb.LbPolicy;
import io.outrigger.lb.PolicyFactory;
import io.outrigger.lb.cluster.ClusterImplPolicy;
import io.outrigger.lb.endpoint.LeafPolicies;
import io.outrigger.lb.endpoint.least.LeastRequestPolicy;
import io.outrigger.lb.endpoint.ring.RingHashPolicy;
import io.outrigger.lb.endpoint.weighted.WeightedRoundRobinPolicy;
import io.outrigger.lb.load.LoadRegistry;
import io.outrigger.lb.locality.WeightedTargetPolicy;
import io.outrigger.lb.outlier.OutlierDetectionPolicy;
import io.outrigger.lb.override.OverrideHostPolicy;
import io.outrigger.lb.priority.PriorityPolicy;

/** Makes every policy of the grammar: the one place that knows all of them. */
@ControlConfined
final class TreeFactory implements PolicyFactory {
  private final ControlLoop control;
  private final RandomSource random;
  private final CircuitBreakers breakers;
  private final LoadRegistry loads;
  private final LbObserver observer;
  private final int loops;
  private final LeafPolicies leaves;

  TreeFactory(
      ControlLoop control,
      RandomSource random,
      CircuitBreakers breakers,
      LoadRegistry loads,
      LbObserver observer,
      int loops) {
    this.control = control;
    this.random = random;
    this.breakers = breakers;
    this.loads = loads;
    this.observer = observer;
    this.loops = loops;
    this.leaves = new LeafPolicies(control, random, loops);
  }

  @Override
  public LbPolicy create(LbConfig config, LbParent parent) {
    if (config instanceof LbConfig.Priority priority) {
      return new PriorityPolicy(control, observer, this, priority, parent);
    }
    if (config instanceof LbConfig.OutlierDetecting outlier) {
      return new OutlierDetectionPolicy(control, random, observer, loops, this, outlier, parent);
    }
    if (config instanceof LbConfig.ClusterImpl cluster) {
      return clusterImpl(cluster, parent);
    }
    if (config instanceof LbConfig.OverrideHost override) {
      return new OverrideHostPolicy(control, this, override, parent);
    }
    if (config instanceof LbConfig.WeightedTarget weighted) {
      return new WeightedTargetPolicy(this, random, weighted, parent);
    }
    if (config instanceof LbConfig.RingHash ring) {
      return new RingHashPolicy(control, random, ring, parent);
    }
    if (config instanceof LbConfig.LeastRequest least) {
      return new LeastRequestPolicy(control, random, least, parent);
    }
    if (config instanceof LbConfig.WeightedRoundRobin weighted) {
      return new WeightedRoundRobinPolicy(control, random, observer, loops, weighted, parent);
    }
    return leaves.create(config, parent);
  }

  private LbPolicy clusterImpl(LbConfig.ClusterImpl config, LbParent parent) {
    String cluster = config.cluster();
    String serviceName = config.edsServiceName();
    CircuitBreaker breaker = breakers.acquire(cluster, serviceName);
    return new ClusterImplPolicy(
        this,
        random,
        breaker,
        () -> breakers.release(cluster, serviceName),
        loads,
        observer,
        loops,
        config,
        parent);
  }
}
