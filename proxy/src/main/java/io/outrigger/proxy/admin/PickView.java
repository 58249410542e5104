package io.outrigger.proxy.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.lb.Connectivity;
import io.outrigger.lb.LbEndpoint;
import io.outrigger.lb.LbNode;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What a cluster's picker would answer, beside the tree that made the picker: who may be picked,
 * and of everybody else why not.
 */
@AnyThread
final class PickView {
  /** An endpoint that may be picked, by its first address. */
  private record Candidate(EndpointAddress address, String picked, String locality) {}

  private final Map<Candidate, Double> candidates = new LinkedHashMap<>();
  private final Map<RpcStatus, Double> failures = new LinkedHashMap<>();
  private final JsonArray excluded = new JsonArray();
  private final Set<EndpointAddress> included = new HashSet<>();
  private double waits;

  private PickView() {}

  /** Adds members {@code path}, {@code candidates}, {@code excluded} and others. */
  static void addTo(JsonObject json, LbNode tree, PickPlan plan) {
    var view = new PickView();
    plan.odds().forEach(view::add);
    var path = new JsonArray();
    addPath(tree, path);
    json.add("path", path);
    addSteps(json, plan);
    var candidates = new JsonArray();
    view.candidates.forEach((each, share) -> candidates.add(candidate(each, share)));
    json.add("candidates", candidates);
    json.addProperty("waits", view.waits);
    var failures = new JsonArray();
    view.failures.forEach((status, share) -> failures.add(failure(status, share)));
    json.add("failures", failures);
    view.exclude(tree, "");
    json.add("excluded", view.excluded);
  }

  private void add(PickPlan.Odds odds) {
    if (odds.result() instanceof PickResult.Use use) {
      EndpointAddress first = use.subchannel().endpoint().address();
      included.add(first);
      String picked = use.subchannel().address().toString();
      var candidate =
          new Candidate(
              first, picked, use.subchannel().locality().map(Locality::toString).orElse(""));
      candidates.merge(candidate, odds.probability(), Double::sum);
    } else if (odds.result() instanceof PickResult.Fail fail) {
      failures.merge(fail.status(), odds.probability(), Double::sum);
    } else if (odds.result() instanceof PickResult.Drop drop) {
      failures.merge(drop.status(), odds.probability(), Double::sum);
    } else {
      waits += odds.probability();
    }
  }

  private static JsonObject candidate(Candidate candidate, double probability) {
    var json = new JsonObject();
    json.addProperty("address", candidate.picked());
    json.addProperty("locality", candidate.locality());
    json.addProperty("probability", probability);
    return json;
  }

  private static JsonObject failure(RpcStatus status, double probability) {
    var json = new JsonObject();
    json.addProperty("probability", probability);
    json.addProperty("code", status.code().toString());
    json.addProperty("message", status.message());
    return json;
  }

  /** From the cluster down to the leaves, along the children that get calls. */
  private static void addPath(LbNode node, JsonArray path) {
    var json = new JsonObject();
    json.addProperty("name", node.name());
    json.addProperty("policy", node.policy());
    json.addProperty("state", node.state().toString());
    json.addProperty("detail", node.detail());
    path.add(json);
    node.children().stream().filter(LbNode::isUsed).forEach(child -> addPath(child, path));
  }

  /** What stands between the cluster and its endpoints. */
  private static void addSteps(JsonObject json, PickPlan plan) {
    if (plan instanceof PickPlan.Dropping dropping) {
      var drops = new JsonArray();
      for (PickPlan.Drop drop : dropping.drops()) {
        var category = new JsonObject();
        category.addProperty("category", drop.category().category());
        category.addProperty("share", drop.category().share().asDouble());
        drops.add(category);
      }
      json.add("drops", drops);
      addSteps(json, dropping.rest());
    } else if (plan instanceof PickPlan.Limited limited) {
      var breaker = new JsonObject();
      breaker.addProperty("in_flight", limited.inFlight());
      breaker.addProperty("limit", limited.limit());
      breaker.addProperty("full", limited.isFull());
      json.add("circuit_breaker", breaker);
      addSteps(json, limited.rest());
    } else if (plan instanceof PickPlan.Preferring preferring) {
      addSteps(json, preferring.rest());
    } else if (plan instanceof PickPlan.Shared shared && !shared.shares().isEmpty()) {
      addSteps(json, shared.shares().get(0).plan());
    } else if (plan instanceof PickPlan.Hashed hashed) {
      var hash = new JsonObject();
      hash.addProperty("source", hashed.source());
      hashed.hash().ifPresent(value -> hash.addProperty("value", Long.toUnsignedString(value)));
      hash.addProperty("ring_slot", hashed.place());
      hash.addProperty("ring_size", hashed.size());
      hash.addProperty("passed_over", hashed.passed());
      json.add("hash", hash);
    }
  }

  /**
   * @param unused what keeps calls away from all beneath; empty while nothing does
   */
  private void exclude(LbNode node, String unused) {
    for (LbNode child : node.children()) {
      exclude(child, unused.isEmpty() && !child.isUsed() ? unused(child) : unused);
    }
    boolean isSetAside = node.policy().equals("override_host");
    for (LbEndpoint endpoint : node.endpoints()) {
      if (!included.contains(endpoint.address())) {
        var json = new JsonObject();
        json.addProperty("address", endpoint.address().toString());
        json.addProperty("locality", endpoint.locality().toString());
        json.addProperty(
            "reason",
            isSetAside
                ? "left out for its health, " + endpoint.health()
                : reason(endpoint, unused, node.policy()));
        excluded.add(json);
      }
    }
  }

  private static String unused(LbNode node) {
    return node.name()
        + (node.state() == Connectivity.READY
            ? " is not in use"
            : " is not in use, it is in " + node.state());
  }

  private String reason(LbEndpoint endpoint, String unused, String policy) {
    if (endpoint.detection().ejection().isPresent()) {
      LbEndpoint.Ejection ejection = endpoint.detection().ejection().get();
      return "ejected until %s (%s, %d times the base ejection time)"
          .formatted(ejection.until(), ejection.by().word(), ejection.times());
    }
    if (!unused.isEmpty()) {
      return unused;
    }
    return switch (endpoint.state()) {
      case TRANSIENT_FAILURE -> "cannot be connected to: " + endpoint.failure();
      case CONNECTING -> "is being connected";
      case IDLE -> "is not connected";
      case READY -> {
        if (candidates.isEmpty() && !failures.isEmpty()) {
          yield "the call fails before an endpoint is picked: "
              + failures.keySet().iterator().next().message();
        }
        yield policy.equals("pick_first")
            ? "an address before it is connected"
            : "the hash falls to another endpoint";
      }
    };
  }
}
