package io.outrigger.lb.view;

import io.outrigger.lb.state.Connectivity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A node of the tree as a value, as status views show it (CONTRACT section 6, {@code GET /lb}).
 *
 * @param name the name of the node's cluster, priority or locality
 * @param policy the policy's name, such as {@code round_robin}
 * @param config the policy's settings: strings, numbers, booleans, or lists of these types
 * @param detail a line of details for people; may be empty
 * @param endpoints for a leaf, all endpoints that it balances; for a node with children, the
 *     endpoints that no child balances because of their health
 * @param isUsed whether the parent sends calls to this node now; true for a root
 */
public record LbNode(
    String name,
    String policy,
    Connectivity state,
    Map<String, Object> config,
    String detail,
    List<LbNode> children,
    List<LbEndpoint> endpoints,
    boolean isUsed) {
  public LbNode {
    config = Map.copyOf(config);
    children = List.copyOf(children);
    endpoints = List.copyOf(endpoints);
  }

  public static List<LbNode> of(Consumer<NodeVisitor> show) {
    var builder = new NodeBuilder();
    show.accept(builder);
    return builder.roots();
  }

  public void accept(NodeVisitor visitor) {
    visitor.enter(new NodeHead(name, policy, state, config, detail, isUsed));
    children.forEach(child -> child.accept(visitor));
    endpoints.forEach(visitor::endpoint);
    visitor.leave();
  }

  private static final class NodeBuilder implements NodeVisitor {
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
}
