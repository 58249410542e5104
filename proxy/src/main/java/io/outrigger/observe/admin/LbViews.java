package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import com.google.gson.stream.JsonWriter;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.Count;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.lb.config.LbConfig;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.lb.view.NodeVisitor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The reply of {@code /lb} (CONTRACT section 6). The control loop writes the reply while it visits
 * the trees. Copying ten thousand endpoints for another thread would take the control loop longer
 * than writing their text (decision proxy-0016).
 */
@ControlConfined
public final class LbViews {
  /** The largest number of endpoints in a reply that is indented for people. */
  private static final int MAX_READABLE = 200;

  private LbViews() {}

  /**
   * @param clusters the state of each cluster; empty while there is no configuration
   * @param endpoints the approximate number of endpoints in the trees
   * @param trees a task that passes the trees to a visitor
   */
  public record Forward(
      String name,
      String target,
      List<Connectivity> clusters,
      int endpoints,
      Consumer<NodeVisitor> trees) {}

  /** The amount of detail per endpoint. */
  public enum Detail {
    /** Only the JSON members that CONTRACT section 6 lists. */
    CONTRACT,
    /** Adds the total calls of each endpoint, and whether each node is in use. */
    CALLS,
    /** Like {@link #CALLS}, with the latest decisions of outlier detection. */
    FULL;

    /**
     * Returns the value of the parameter {@code detail}; {@link #CONTRACT} if it is absent.
     *
     * @throws IllegalArgumentException when the parameter has an unknown value
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
   * @param overlayEffects the effects of local policy ({@code --overlay}), by cluster name
   */
  public static AdminReply reply(
      Detail detail, Map<String, OverlayEffect> overlayEffects, List<Forward> forwards) {
    int endpoints = forwards.stream().mapToInt(Forward::endpoints).sum();
    return AdminReply.json(
        200,
        endpoints <= MAX_READABLE,
        json -> {
          var writer = new TreeJson(json, detail, overlayEffects);
          json.beginObject().name("forwards").beginArray();
          for (Forward forward : forwards) {
            json.beginObject();
            json.name("name").value(forward.name());
            json.name("target").value(forward.target());
            json.name("root");
            if (forward.clusters().isEmpty()) {
              json.nullValue();
            } else {
              writer.enter(root(forward.target(), forward.clusters()));
              forward.trees().accept(writer);
              writer.leave();
            }
            json.endObject();
          }
          json.endArray().endObject();
        });
  }

  private static LbNode root(String target, List<Connectivity> clusters) {
    return new LbNode(
        target,
        "cluster_manager",
        // The root has the best state of all clusters, because a request can go to any cluster.
        clusters.stream().reduce(Connectivity.TRANSIENT_FAILURE, Connectivity::or),
        Map.of(),
        Count.of(clusters.size(), "cluster"),
        true);
  }

  /** Writes trees as JSON while they are visited, and keeps no objects of visited endpoints. */
  private static final class TreeJson implements NodeVisitor {
    private final JsonWriter json;
    private final Detail detail;
    private final Map<String, OverlayEffect> overlayEffects;

    /** Contains the depth of each open node whose JSON list of endpoints has begun. */
    private final BitSet hasEndpoints = new BitSet();

    private int depth;

    TreeJson(JsonWriter json, Detail detail, Map<String, OverlayEffect> overlayEffects) {
      this.json = json;
      this.detail = detail;
      this.overlayEffects = overlayEffects;
    }

    @Override
    public void enter(LbNode node) {
      depth++;
      hasEndpoints.clear(depth);
      try {
        json.beginObject();
        json.name("name").value(node.name());
        json.name("policy").value(node.policy());
        json.name("state").value(node.state().toString());
        Json.write(node.config(), json.name("config"));
        json.name("detail").value(node.detail());
        overlay(node);
        if (detail != Detail.CONTRACT) {
          json.name("used").value(node.isUsed());
        }
        json.name("children").beginArray();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // a stream in memory does not fail
      }
    }

    /** Writes the values that local policy has set, at the root of a cluster's tree. */
    private void overlay(LbNode node) throws IOException {
      if (overlayEffects.isEmpty() || !node.policy().equals(LbConfig.OutlierDetecting.POLICY)) {
        return;
      }
      OverlayEffect effect = overlayEffects.get(node.name());
      if (effect != null && !effect.set().isEmpty()) {
        Json.write(OverlayViews.values(effect), json.name("overlay"));
      }
    }

    @Override
    public void leave() {
      try {
        beginEndpoints();
        json.endArray().endObject();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      depth--;
    }

    private void beginEndpoints() throws IOException {
      if (!hasEndpoints.get(depth)) {
        hasEndpoints.set(depth);
        json.endArray().name("endpoints").beginArray();
      }
    }

    @Override
    public void endpoint(LbEndpoint endpoint) {
      try {
        beginEndpoints();
        Json.write(json(endpoint), json);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private JsonObject json(LbEndpoint endpoint) {
      LbEndpoint.Detection detection = endpoint.detection();
      JsonObject object =
          Json.object(
              "address", endpoint.address(),
              "locality", endpoint.backend().locality(),
              "health", endpoint.health().toString(),
              "weight", endpoint.backend().endpoint().weight(),
              "state", endpoint.state().toString(),
              "active_requests", endpoint.calls().active(),
              "tls", endpoint.link().tls(),
              "ejected", detection.ejection(),
              "last_interval", counts(detection.succeeded(), detection.failed()));
      if (detail != Detail.CONTRACT) {
        object.add("total", counts(endpoint.calls().succeeded(), endpoint.calls().failed()));
      }
      if (detail == Detail.FULL) {
        object.add(
            "history", Json.tree(detection.history().stream().map(EventViews::outlier).toList()));
      }
      return object;
    }

    private static JsonObject counts(long success, long failure) {
      return Json.object("success", success, "failure", failure);
    }
  }
}
