package io.outrigger.lb;

import io.outrigger.base.ControlConfined;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.view.EndpointTally;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;

/** A node of the load-balancing tree. */
@ControlConfined
public interface LbPolicy {
  /**
   * Applies {@code config}, whose {@link LbConfig#kind} is that of the first one. When this
   * returns, the policy has published a state and a picker that are right for {@code config}.
   */
  void update(LbConfig config);

  /** Releases everything below. Nothing is published afterwards; harmless a second time. */
  void close();

  /**
   * Shows {@code visitor} how the node and everything beneath stands now.
   *
   * @param name under which the parent knows the node
   * @param isUsed whether the parent gives it calls now
   */
  void accept(NodeVisitor visitor, String name, boolean isUsed);

  /**
   * Counts the endpoints beneath that calls may go to, without a look at each where that can be.
   */
  void count(EndpointTally tally);

  /** What {@link #accept} shows of a node that is used, as a value. */
  default LbNode describe(String name) {
    return LbNode.of(visitor -> accept(visitor, name, true)).get(0);
  }
}
