package io.outrigger.lb.view;

import java.util.function.UnaryOperator;

/**
 * Visits a tree as it is, from the root down. Arguments need not outlive the call, so that a tree
 * of ten thousand endpoints can be shown without a copy of it. On the control loop, or wherever an
 * {@link LbNode} is shown.
 */
public interface NodeVisitor {
  /** A node. Its children follow, each with all that is beneath, then its endpoints. */
  void enter(NodeHead node);

  /** An endpoint of the node that was entered last and not left. */
  void endpoint(LbEndpoint endpoint);

  /** Nothing of that node is left. */
  void leave();

  /** Is shown the same tree with every endpoint as {@code change} has it. */
  default NodeVisitor mapEndpoints(UnaryOperator<LbEndpoint> change) {
    NodeVisitor all = this;
    return new NodeVisitor() {
      @Override
      public void enter(NodeHead node) {
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
