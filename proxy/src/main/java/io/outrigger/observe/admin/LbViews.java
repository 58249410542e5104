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
 * The answer of {@code /lb} (CONTRACT section 6), written while the trees are shown: a copy of ten
 * thousand endpoints for another thread to write from costs the control loop more than the text
 * does (decision proxy-0016).
 */
@ControlConfined
public final class LbViews {
  /** Endpoints up to which an answer is laid out for people. */
  private static final int MAX_READABLE = 200;

  private LbViews() {}

  /**
   * One forward.
   *
   * @param clusters how each cluster stands; empty while there is no configuration
   * @param endpoints about how many its trees have
   * @param show shows its trees
   */
  public record Forward(
      String name,
      String target,
      List<Connectivity> clusters,
      int endpoints,
      Consumer<NodeVisitor> show) {}

  /** How much is told of each endpoint. */
  public enum Detail {
    /** What the contract lists. */
    CONTRACT,
    /** Besides, all calls so far, and which nodes get calls now. */
    CALLS,
    /** Besides, the latest decisions of outlier detection. */
    FULL;

    /**
     * The one that {@code ?detail=} names; the contract's without it.
     *
     * @throws IllegalArgumentException when it names none
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
   * The answer.
   *
   * @param overlaid clusters with local policy over them, by name
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

  /** The node above the trees of its clusters. */
  private static NodeHead root(String target, List<Connectivity> clusters) {
    return new NodeHead(
        target,
        "cluster_manager",
        aggregate(clusters),
        Map.of(),
        Count.of(clusters.size(), "cluster"),
        true);
  }

  /** The best state among {@code clusters}: what a request to a random one can hope for. */
  private static Connectivity aggregate(List<Connectivity> clusters) {
    return clusters.stream().reduce(Connectivity.TRANSIENT_FAILURE, Connectivity::or);
  }
}
