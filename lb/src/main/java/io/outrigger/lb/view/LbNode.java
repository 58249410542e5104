package io.outrigger.lb.view;

import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A node of the tree as status views show it (CONTRACT section 6, {@code GET /lb}), as a value.
 *
 * @param name of its cluster, priority or locality
 * @param policy the policy's name, such as {@code round_robin}
 * @param config its settings: strings, numbers, booleans, lists of these
 * @param detail one line for people; may be empty
 * @param endpoints of a leaf, all that it balances; of a node with children, those that none of
 *     them balances, for their health
 * @param isUsed whether the parent gives it calls now; a root is used
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

  /** A node that is used. */
  public LbNode(
      String name,
      String policy,
      Connectivity state,
      Map<String, Object> config,
      String detail,
      List<LbNode> children,
      List<LbEndpoint> endpoints) {
    this(name, policy, state, config, detail, children, endpoints, true);
  }

  /** The same node with {@link #isUsed} set. */
  public LbNode used(boolean byParent) {
    return new LbNode(name, policy, state, config, detail, children, endpoints, byParent);
  }

  /** A node that has children. */
  public static LbNode inner(
      String name,
      LbConfig config,
      Connectivity state,
      Map<String, Object> settings,
      String detail,
      List<LbNode> children) {
    return new LbNode(name, config.policy(), state, settings, detail, children, List.of());
  }

  /** A leaf. */
  public static LbNode leaf(
      String name, LbConfig config, Connectivity state, String detail, List<LbEndpoint> endpoints) {
    return new LbNode(name, config.policy(), state, Map.of(), detail, List.of(), endpoints);
  }

  /** A child that its parent has not started: nothing beneath is connected. */
  public static LbNode notStarted(String name, LbConfig config) {
    return leaf(
            name,
            config,
            Connectivity.IDLE,
            "not started",
            config.backends().stream().map(LbEndpoint::untouched).toList())
        .used(false);
  }

  /** The trees that {@code show} shows to a visitor. */
  public static List<LbNode> of(Consumer<NodeVisitor> show) {
    var builder = new NodeBuilder();
    show.accept(builder);
    return builder.roots();
  }

  /** Shows the tree. */
  public void accept(NodeVisitor visitor) {
    visitor.enter(new NodeHead(name, policy, state, config, detail, isUsed));
    children.forEach(child -> child.accept(visitor));
    endpoints.forEach(visitor::endpoint);
    visitor.leave();
  }
}
