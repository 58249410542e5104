package io.outrigger.proxy.admin;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbEndpoint;
import io.outrigger.lb.LbNode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The load-balancing tree as JSON, in the form that CONTRACT section 6 gives for {@code /lb}. */
@AnyThread
public final class LbViews {
  private static final Gson GSON = new Gson();

  /** Endpoints up to which an answer is laid out for people; layout is most of its bytes. */
  private static final int MOST_READABLE = 200;

  private final Detail detail;
  private int endpoints;

  private LbViews(Detail detail) {
    this.detail = detail;
  }

  /**
   * One forward.
   *
   * @param clusters their trees; empty while there is no configuration
   */
  public record Forward(String name, String target, List<LbNode> clusters) {
    public Forward {
      clusters = List.copyOf(clusters);
    }
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

  /** The whole answer. */
  public static AdminReply reply(List<Forward> forwards, Detail detail) {
    var views = new LbViews(detail);
    var list = new JsonArray();
    forwards.forEach(forward -> list.add(views.forward(forward)));
    var json = new JsonObject();
    json.add("forwards", list);
    return views.endpoints > MOST_READABLE ? AdminReply.compactJson(json) : AdminReply.json(json);
  }

  /** A root above the trees of its clusters. */
  private JsonObject forward(Forward forward) {
    List<LbNode> clusters = forward.clusters();
    String target = forward.target();
    var json = new JsonObject();
    json.addProperty("name", forward.name());
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

  private JsonObject node(LbNode node) {
    var json = new JsonObject();
    json.addProperty("name", node.name());
    json.addProperty("policy", node.policy());
    json.addProperty("state", node.state().toString());
    json.add("config", GSON.toJsonTree(node.config()));
    json.addProperty("detail", node.detail());
    if (detail != Detail.CONTRACT) {
      json.addProperty("used", node.isUsed());
    }
    var children = new JsonArray();
    node.children().forEach(child -> children.add(node(child)));
    json.add("children", children);
    var endpoints = new JsonArray();
    node.endpoints().forEach(endpoint -> endpoints.add(endpoint(endpoint)));
    json.add("endpoints", endpoints);
    return json;
  }

  private JsonObject endpoint(LbEndpoint endpoint) {
    endpoints++;
    var json = new JsonObject();
    json.addProperty("address", endpoint.address().toString());
    json.addProperty("locality", endpoint.locality().toString());
    json.addProperty("health", endpoint.health().toString());
    json.addProperty("weight", endpoint.weight());
    json.addProperty("state", endpoint.state().toString());
    json.addProperty("active_requests", endpoint.calls().active());
    LbEndpoint.Detection watched = endpoint.detection();
    json.add("ejected", watched.ejection().map(LbViews::ejection).orElse(JsonNull.INSTANCE));
    json.add("last_interval", counts(watched.succeeded(), watched.failed()));
    endpoint.affinity().ifPresent(affinity -> json.add("session", affinity(affinity)));
    if (detail != Detail.CONTRACT) {
      json.add("total", counts(endpoint.calls().succeeded(), endpoint.calls().failed()));
    }
    if (detail == Detail.FULL) {
      var history = new JsonArray();
      watched.history().forEach(event -> history.add(OutlierEventView.json(event)));
      json.add("history", history);
    }
    return json;
  }

  private static JsonElement ejection(LbEndpoint.Ejection ejection) {
    var json = new JsonObject();
    json.addProperty("since", ejection.since().toString());
    json.addProperty("until", ejection.until().toString());
    json.addProperty("times", ejection.times());
    json.addProperty("by", ejection.by().word());
    return json;
  }

  private static JsonElement affinity(LbEndpoint.Affinity affinity) {
    var json = new JsonObject();
    json.addProperty("owner", affinity.owner().toString().toLowerCase(Locale.ROOT));
    json.add("last_use", instant(affinity.lastUse()));
    json.add("closes", instant(affinity.closes()));
    return json;
  }

  private static JsonElement instant(Optional<Instant> instant) {
    return instant
        .<JsonElement>map(time -> new JsonPrimitive(time.toString()))
        .orElse(JsonNull.INSTANCE);
  }

  private static JsonObject counts(long success, long failure) {
    var json = new JsonObject();
    json.addProperty("success", success);
    json.addProperty("failure", failure);
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
