package io.outrigger.lb.view;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Builds {@link LbNode}s from the nodes that it visits. An instance is used by one thread. */
final class NodeBuilder implements NodeVisitor {
  private final Deque<Open> open = new ArrayDeque<>();
  private final List<LbNode> roots = new ArrayList<>();

  /** A node that the visitor has entered and not left. */
  private record Open(NodeHead head, List<LbNode> children, List<LbEndpoint> endpoints) {}

  @Override
  public void enter(NodeHead node) {
    open.push(new Open(node, new ArrayList<>(), new ArrayList<>()));
  }

  @Override
  public void endpoint(LbEndpoint endpoint) {
    open.element().endpoints().add(endpoint);
  }

  @Override
  public void leave() {
    Open left = open.pop();
    NodeHead head = left.head();
    var node =
        new LbNode(
            head.name(),
            head.policy(),
            head.state(),
            head.config(),
            head.detail(),
            left.children(),
            left.endpoints(),
            head.isUsed());
    (open.isEmpty() ? roots : open.element().children()).add(node);
  }

  List<LbNode> roots() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("not left: " + open.element().head());
    }
    return roots;
  }
}
