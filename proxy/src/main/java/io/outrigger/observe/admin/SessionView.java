package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.dataplane.filter.FilterPlan.AskedSession;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import io.outrigger.observe.explain.Explanation.Branch;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The session of an explained request: the endpoints that its cookie names, their states, and
 * whether the session is kept. The value of the cookie is not shown.
 */
final class SessionView {
  private SessionView() {}

  static JsonObject json(AskedSession asked, Branch branch) {
    Optional<PickPlan.Preferring> preferring = branch.plan().flatMap(SessionView::preferring);
    var json = new JsonObject();
    json.addProperty("cookie", asked.cookie());
    json.addProperty("begins", asked.addresses().isEmpty());
    PickPlan.OverrideOutcome outcome =
        preferring.map(PickPlan.Preferring::outcome).orElse(PickPlan.OverrideOutcome.LOST);
    json.add(
        "kept",
        outcome == PickPlan.OverrideOutcome.NOT_LOOKED_UP
            ? JsonNull.INSTANCE
            : new JsonPrimitive(outcome == PickPlan.OverrideOutcome.KEPT));
    json.add("cluster", asked.cluster().isEmpty() ? JsonNull.INSTANCE : text(asked.cluster()));
    var endpoints = new JsonArray();
    List<PickPlan.OverrideCandidate> candidates =
        preferring
            .map(PickPlan.Preferring::candidates)
            .orElseGet(
                () ->
                    asked.addresses().stream()
                        .map(address -> new PickPlan.OverrideCandidate(address, "not asked for"))
                        .toList());
    for (PickPlan.OverrideCandidate candidate : candidates) {
      var endpoint = new JsonObject();
      endpoint.addProperty("address", candidate.address().toString());
      endpoint.addProperty("standing", candidate.standing());
      endpoint.add(
          "owner",
          branch
              .tree()
              .flatMap(tree -> owner(tree, candidate.address()))
              .<JsonElement>map(SessionView::text)
              .orElse(JsonNull.INSTANCE));
      endpoints.add(endpoint);
    }
    json.add("endpoints", endpoints);
    return json;
  }

  private static JsonPrimitive text(String value) {
    return new JsonPrimitive(value);
  }

  /**
   * Returns the part of a plan that handles sessions. The session part lies above all parts of a
   * plan that draw at random.
   */
  private static Optional<PickPlan.Preferring> preferring(PickPlan plan) {
    if (plan instanceof PickPlan.Preferring found) {
      return Optional.of(found);
    }
    if (plan instanceof PickPlan.Limited limited) {
      return preferring(limited.rest());
    }
    if (plan instanceof PickPlan.Dropping dropping) {
      return preferring(dropping.rest());
    }
    return Optional.empty();
  }

  /**
   * Returns which part owns the connection to the endpoint, if session affinity tracks the
   * endpoint.
   */
  private static Optional<String> owner(LbNode node, EndpointAddress address) {
    for (LbEndpoint endpoint : node.endpoints()) {
      if (endpoint.address().bare().equals(address)) {
        return endpoint
            .affinity()
            .map(affinity -> affinity.owner().toString().toLowerCase(Locale.ROOT));
      }
    }
    for (LbNode child : node.children()) {
      Optional<String> found = owner(child, address);
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }
}
