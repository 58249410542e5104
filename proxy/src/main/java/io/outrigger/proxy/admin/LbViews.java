package io.outrigger.proxy.admin;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbEndpoint;
import io.outrigger.lb.LbNode;
import java.util.List;
import java.util.Map;

/** The load-balancing tree as JSON, in the form that CONTRACT section 6 gives for {@code /lb}. */
@AnyThread
public final class LbViews {
  private static final Gson GSON = new Gson();

  private LbViews() {}

  /**
   * One forward: a root above the trees of its clusters.
   *
   * @param clusters empty while there is no configuration
   */
  public static JsonObject forward(String name, String target, List<LbNode> clusters) {
    var json = new JsonObject();
    json.addProperty("name", name);
    json.addProperty("target", target);
    json.add(
        "root",
        clusters.isEmpty()
            ? JsonNull.INSTANCE
            : node(
                new LbNode(
                    target,
                    "cluster_manager",
                    aggregate(clusters),
                    Map.of(),
                    clusters.size() == 1 ? "1 cluster" : clusters.size() + " clusters",
                    clusters,
                    List.of())));
    return json;
  }

  private static JsonObject node(LbNode node) {
    var json = new JsonObject();
    json.addProperty("name", node.name());
    json.addProperty("policy", node.policy());
    json.addProperty("state", node.state().toString());
    json.add("config", GSON.toJsonTree(node.config()));
    json.addProperty("detail", node.detail());
    var children = new JsonArray();
    node.children().forEach(child -> children.add(node(child)));
    json.add("children", children);
    var endpoints = new JsonArray();
    node.endpoints().forEach(endpoint -> endpoints.add(endpoint(endpoint)));
    json.add("endpoints", endpoints);
    return json;
  }

  private static JsonObject endpoint(LbEndpoint endpoint) {
    var json = new JsonObject();
    json.addProperty("address", endpoint.address().toString());
    json.addProperty("locality", endpoint.locality().toString());
    json.addProperty("health", endpoint.health().toString());
    json.addProperty("weight", endpoint.weight());
    json.addProperty("state", endpoint.state().toString());
    json.addProperty("active_requests", endpoint.calls().active());
    json.add("ejected", JsonNull.INSTANCE); // nothing ejects until outlier detection is in force
    var counts = new JsonObject();
    counts.addProperty("success", endpoint.calls().succeeded());
    counts.addProperty("failure", endpoint.calls().failed());
    json.add("last_interval", counts);
    return json;
  }

  /** The best state among {@code clusters}: what a request to a random one can hope for. */
  private static Connectivity aggregate(List<LbNode> clusters) {
    for (Connectivity state :
        List.of(Connectivity.READY, Connectivity.CONNECTING, Connectivity.IDLE)) {
      if (clusters.stream().anyMatch(cluster -> cluster.state() == state)) {
        return state;
      }
    }
    return Connectivity.TRANSIENT_FAILURE;
  }
}
