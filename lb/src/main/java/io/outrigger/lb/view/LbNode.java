package io.outrigger.lb.view;

import io.outrigger.lb.state.Connectivity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A node of the tree as an immutable value, for status views (CONTRACT section 6, {@code GET /lb}).
 *
 * @param name the name of the node's cluster, priority or locality
 * @param policy the policy's name, such as {@code round_robin}
 * @param config the policy's settings: strings, numbers, booleans, or lists of these types; must
 *     not be modified
 * @param detail one line of details for people; may be empty
 * @param endpoints the endpoints of a leaf policy; in a node with children, the endpoints whose
 *     health excludes them from all children
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
  /**
   * The {@code detail} of a node that exists only in the configuration: no policy was started for
   * it.
   */
  public static final String NOT_STARTED = "not started";

  public LbNode {
    children = List.copyOf(children);
    endpoints = List.copyOf(endpoints);
  }

  /** Creates a node without children and endpoints, as {@link NodeVisitor#enter} requires. */
  public LbNode(
      String name,
      String policy,
      Connectivity state,
      Map<String, Object> config,
      String detail,
      boolean isUsed) {
    this(name, policy, state, config, detail, List.of(), List.of(), isUsed);
  }

  public static List<LbNode> of(Consumer<NodeVisitor> show) {
    var builder = new NodeBuilder();
    show.accept(builder);
    return builder.roots();
  }

  private LbNode with(List<LbNode> itsChildren, List<LbEndpoint> itsEndpoints) {
    return new LbNode(name, policy, state, config, detail, itsChildren, itsEndpoints, isUsed);
  }

  private static final class NodeBuilder implements NodeVisitor {
    private final Deque<Open> open = new ArrayDeque<>();
    private final List<LbNode> roots = new ArrayList<>();

    private record Open(LbNode head, List<LbNode> children, List<LbEndpoint> endpoints) {}

    @Override
    public void enter(LbNode node) {
      open.push(new Open(node, new ArrayList<>(), new ArrayList<>()));
    }

    @Override
    public void endpoint(LbEndpoint endpoint) {
      open.element().endpoints().add(endpoint);
    }

    @Override
    public void leave() {
      Open left = open.pop();
      LbNode node = left.head().with(left.children(), left.endpoints());
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
