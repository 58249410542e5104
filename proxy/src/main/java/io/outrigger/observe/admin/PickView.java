package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import io.outrigger.base.RpcStatus;
import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.endpoint.EndpointAddress;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.config.tls.EndpointTls;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.lb.config.Backend;
import io.outrigger.lb.state.Connectivity;
import io.outrigger.lb.view.LbEndpoint;
import io.outrigger.lb.view.LbNode;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Renders the plan of a cluster's picker together with its tree: the endpoints that may be picked,
 * and the reason why each other endpoint cannot be picked.
 */
@AnyThread
final class PickView {
  /** An endpoint that may be picked, and the address to which it is connected. */
  private record Candidate(Backend backend, EndpointAddress picked) {}

  private final LbNode tree;
  private final PickPlan plan;
  private final UnaryOperator<String> authority;
  private final Map<Candidate, Double> candidates = new LinkedHashMap<>();
  private final Map<RpcStatus, Double> failures = new LinkedHashMap<>();
  private final Set<EndpointAddress> included = new HashSet<>();
  private double waits;

  PickView(LbNode tree, PickPlan plan, UnaryOperator<String> authority) {
    this.tree = tree;
    this.plan = plan;
    this.authority = authority;
    plan.forEachResult(1, this::add);
  }

  /** Adds the possible picks to the JSON object; returns the number of endpoints that it added. */
  int addTo(JsonObject json) {
    List<JsonObject> path = new ArrayList<>();
    addPath(tree, path);
    List<JsonObject> excluded = new ArrayList<>();
    exclude(excluded, tree, "");
    List<JsonObject> failed = new ArrayList<>();
    failures.forEach((status, share) -> failed.add(failure(status, share)));
    List<JsonObject> possible = new ArrayList<>();
    candidates.forEach((candidate, share) -> possible.add(json(candidate, share)));
    json.add("path", Json.tree(path));
    addSteps(json, plan);
    json.addProperty("waits", waits);
    json.add("failures", Json.tree(failed));
    json.add("candidates", Json.tree(possible));
    json.add("excluded", Json.tree(excluded));
    return possible.size() + excluded.size();
  }

  private JsonObject json(Candidate candidate, double probability) {
    return Json.object(
        "address", candidate.picked(),
        "locality", candidate.backend().locality(),
        "authority", authority.apply(candidate.backend().endpoint().hostname()),
        "tls", candidate.picked().tls().map(PickView::tls),
        "probability", probability);
  }

  private static JsonObject tls(EndpointTls tls) {
    UpstreamTls settings = tls.settings();
    return Json.object(
        "identity", settings.certificate().orElse(""),
        "roots",
            settings.roots() instanceof TrustSource.Provider provider
                ? provider.instance()
                : "system",
        "server_name", tls.serverName().orElse(""),
        "accepts", settings.sanMatchers().stream().map(Object::toString).toList());
  }

  private void add(PickResult result, double probability) {
    if (result instanceof PickResult.Use use) {
      Backend backend = use.subchannel().backend();
      included.add(backend.endpoint().address());
      candidates.merge(
          new Candidate(backend, use.subchannel().address()), probability, Double::sum);
    } else if (result instanceof PickResult.Fail fail) {
      failures.merge(fail.status(), probability, Double::sum);
    } else if (result instanceof PickResult.Drop drop) {
      failures.merge(drop.status(), probability, Double::sum);
    } else {
      waits += probability;
    }
  }

  private static JsonObject failure(RpcStatus status, double probability) {
    return Json.object(
        "probability", probability,
        "code", status.code().toString(),
        "message", status.message());
  }

  /** Adds the nodes from the cluster down to the leaves, along the children that receive calls. */
  private static void addPath(LbNode node, List<JsonObject> path) {
    path.add(
        Json.object(
            "name", node.name(),
            "policy", node.policy(),
            "state", node.state(),
            "detail", node.detail()));
    node.children().stream().filter(LbNode::isUsed).forEach(child -> addPath(child, path));
  }

  /** Adds the steps between the cluster and its endpoints: drops, circuit breaker and hash. */
  private static void addSteps(JsonObject json, PickPlan plan) {
    if (plan instanceof PickPlan.Dropping dropping) {
      List<JsonObject> drops =
          dropping.drops().stream()
              .map(PickPlan.Drop::category)
              .map(
                  each ->
                      Json.object("category", each.category(), "share", each.share().asDouble()))
              .toList();
      json.add("drops", Json.tree(drops));
    } else if (plan instanceof PickPlan.Limited each && each.limit() < ClusterResource.UNLIMITED) {
      json.add(
          "circuit_breaker",
          Json.object(
              "in_flight", each.inFlight(),
              "limit", each.limit(),
              "full", each.isFull()));
    } else if (plan instanceof PickPlan.Shared shared && !shared.shares().isEmpty()) {
      addSteps(json, shared.shares().get(0).plan());
    } else if (plan instanceof PickPlan.Hashed hashed) {
      JsonObject hash = Json.object("source", hashed.source());
      hashed.hash().ifPresent(value -> hash.addProperty("value", Long.toUnsignedString(value)));
      hash.addProperty("ring_slot", hashed.hash().isPresent() ? hashed.ringIndex() : null);
      hash.addProperty("ring_size", hashed.ringSize());
      hash.addProperty("passed_over", hashed.skipped());
      json.add("hash", hash);
    }
    if (plan instanceof PickPlan.Wrapping wrapping) {
      addSteps(json, wrapping.inner());
    }
  }

  /**
   * @param unused the reason why the node receives no calls; empty when the node receives calls
   */
  private void exclude(List<JsonObject> list, LbNode node, String unused) {
    for (LbNode child : node.children()) {
      exclude(list, child, unused.isEmpty() && !child.isUsed() ? unused(child) : unused);
    }
    for (LbEndpoint endpoint : node.endpoints()) {
      if (!included.contains(endpoint.address())) {
        list.add(
            Json.object(
                "address", endpoint.address(),
                "locality", endpoint.backend().locality(),
                "tls", endpoint.address().tls().map(PickView::tls),
                "reason", reason(endpoint, unused)));
      }
    }
  }

  private static String unused(LbNode node) {
    String name = Locality.shown(node.name());
    return (name.isEmpty() ? "its locality" : name)
        + (node.state() == Connectivity.READY
            ? " is not in use"
            : " is not in use, it is in " + node.state());
  }

  private String reason(LbEndpoint endpoint, String unused) {
    if (!endpoint.health().isUsable()) {
      return "left out for its health, " + endpoint.health();
    }
    if (endpoint.detection().ejection().isPresent()) {
      LbEndpoint.Ejection ejection = endpoint.detection().ejection().get();
      return "ejected until %s (%s, %sthe base ejection time)"
          .formatted(
              ejection.until().truncatedTo(ChronoUnit.MILLIS),
              ejection.by().word(),
              ejection.times() == 1 ? "" : ejection.times() + " times ");
    }
    if (!unused.isEmpty()) {
      return unused;
    }
    return switch (endpoint.state()) {
      case TRANSIENT_FAILURE -> "cannot be connected to: " + endpoint.link().failure();
      case CONNECTING -> "is being connected";
      case IDLE -> "is not connected";
      case READY -> {
        if (candidates.isEmpty() && !failures.isEmpty()) {
          yield "the call fails before an endpoint is picked: "
              + failures.keySet().iterator().next().message();
        }
        yield plan.exclusionReason().orElse("the picker does not choose it at the moment");
      }
    };
  }
}
