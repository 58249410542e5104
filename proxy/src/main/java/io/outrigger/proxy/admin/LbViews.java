package io.outrigger.proxy.admin;

import static io.outrigger.proxy.admin.JsonPieces.ascii;

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
public final class LbViews implements AutoCloseable {
  private static final byte[] FORWARDS = ascii("{\"forwards\":[");
  private static final byte[] NAME = ascii("{\"name\":");
  private static final byte[] TARGET = ascii(",\"target\":");
  private static final byte[] ROOT = ascii(",\"root\":");
  private static final byte[] END = ascii("]}\n");

  private final JsonPieces json = new JsonPieces();
  private final TreeJson trees;
  private boolean isFirst = true;

  /**
   * @param overlaid clusters with local policy over them, by name
   */
  public LbViews(Detail detail, Map<String, OverlayEffect> overlaid) {
    trees = new TreeJson(json, detail, overlaid);
    json.raw(FORWARDS);
  }

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
   * One forward.
   *
   * @param clusters how each cluster stands; empty while there is no configuration
   * @param show shows their trees
   */
  public void forward(
      String name, String target, List<Connectivity> clusters, Consumer<NodeVisitor> show) {
    if (!isFirst) {
      json.raw(',');
    }
    isFirst = false;
    json.raw(NAME);
    json.text(name);
    json.raw(TARGET);
    json.text(target);
    json.raw(ROOT);
    if (clusters.isEmpty()) {
      json.nullValue();
    } else {
      trees.enter(root(target, clusters));
      show.accept(trees);
      trees.leave();
    }
    json.raw('}');
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

  /** All of it, once. */
  public JsonText take() {
    json.raw(END);
    return new JsonText(json.take(), trees.endpoints());
  }

  /** Releases what nobody took. */
  @Override
  public void close() {
    json.close();
  }
}
