package io.outrigger.lb.view;

import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Visits the current state of a tree, from the root down, on the control loop. A visit needs no
 * copy of the tree, even with ten thousand endpoints.
 */
public interface NodeVisitor {
  /**
   * Enters a node. After {@code enter}, the visitor receives the node's children, each with its
   * complete subtree, then the node's endpoints. The {@code LbNode} itself has neither children nor
   * endpoints.
   */
  default void enter(LbNode node) {}

  /** Visits an endpoint of the innermost node that was entered and has not been left yet. */
  void endpoint(LbEndpoint endpoint);

  default void leave() {}

  /** Visits a node that is not started yet, so that its endpoints are not connected. */
  default void notStarted(String name, LbConfig config) {
    enter(
        new LbNode(name, config.policy(), Connectivity.IDLE, Map.of(), LbNode.NOT_STARTED, false));
    config.backends().forEach(backend -> endpoint(LbEndpoint.unconnected(backend)));
    leave();
  }

  /** Returns a visitor that changes every endpoint before this visitor receives it. */
  default NodeVisitor mapEndpoints(UnaryOperator<LbEndpoint> change) {
    NodeVisitor all = this;
    return new NodeVisitor() {
      @Override
      public void enter(LbNode node) {
        all.enter(node);
      }

      @Override
      public void endpoint(LbEndpoint endpoint) {
        all.endpoint(change.apply(endpoint));
      }

      @Override
      public void leave() {
        all.leave();
      }
    };
  }
}
