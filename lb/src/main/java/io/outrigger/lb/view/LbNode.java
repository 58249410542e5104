package io.outrigger.lb.view;

import io.outrigger.lb.state.Connectivity;
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
}
