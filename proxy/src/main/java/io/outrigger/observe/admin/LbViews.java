package io.outrigger.observe.admin;

import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.NodeHead;
import io.outrigger.lb.view.NodeVisitor;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The reply of {@code /lb} (CONTRACT section 6). The reply is written on the control loop while the
 * trees are visited: copying ten thousand endpoints for another thread would cost the control loop
 * more than writing the text does (decision proxy-0016).
 */
@ControlConfined
public final class LbViews {
  /** The largest number of endpoints in a reply that is indented for people. */
  private static final int MAX_READABLE = 200;

  private LbViews() {}

  /**
   * One forward.
   *
   * @param clusters the state of each cluster; empty while there is no configuration
   * @param endpoints the approximate number of endpoints in its trees
   * @param show visits its trees
   */
  public record Forward(
      String name,
      String target,
      List<Connectivity> clusters,
      int endpoints,
      Consumer<NodeVisitor> show) {}

  /** The amount of detail per endpoint. */
  public enum Detail {
    /** The members that the contract lists. */
    CONTRACT,
    /** Adds the number of all calls so far, and which nodes are in use. */
    CALLS,
    /** Adds the latest decisions of outlier detection to those of {@link #CALLS}. */
    FULL;

    /**
     * Returns the detail that the parameter {@code detail} names, or {@link #CONTRACT} if the
     * parameter is absent.
     *
     * @throws IllegalArgumentException when the parameter has another value
     */
    public static Detail of(AdminRequest request) {
      return switch (request.choice("detail", "calls", "full").orElse("")) {
        case "calls" -> CALLS;
        case "full" -> FULL;
        default -> CONTRACT;
      };
    }
  }

  /**
   * Returns the reply.
   *
   * @param overlaid the effect of local policy on clusters, by name
   */
  public static AdminReply reply(
      Detail detail, Map<String, OverlayEffect> overlaid, List<Forward> forwards) {
    int endpoints = forwards.stream().mapToInt(Forward::endpoints).sum();
    return AdminReply.json(
        200,
        endpoints <= MAX_READABLE,
        json -> {
          var trees = new TreeJson(json, detail, overlaid);
          json.beginObject().name("forwards").beginArray();
          for (Forward forward : forwards) {
            json.beginObject();
            json.name("name").value(forward.name());
            json.name("target").value(forward.target());
            json.name("root");
            if (forward.clusters().isEmpty()) {
              json.nullValue();
            } else {
              trees.enter(root(forward.target(), forward.clusters()));
              forward.show().accept(trees);
              trees.leave();
            }
            json.endObject();
          }
          json.endArray().endObject();
        });
  }

  private static NodeHead root(String target, List<Connectivity> clusters) {
    return new NodeHead(
        target,
        "cluster_manager",
        aggregate(clusters),
        Map.of(),
        Count.of(clusters.size(), "cluster"),
        true);
  }

  /** Returns the best state among {@code clusters}, since any of them may receive a request. */
  private static Connectivity aggregate(List<Connectivity> clusters) {
    return clusters.stream().reduce(Connectivity.TRANSIENT_FAILURE, Connectivity::or);
  }
}
