package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.ClusterChoice.WeightedCluster;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.WireText;
import io.outrigger.dataplane.filter.FilterPlan;
import io.outrigger.dataplane.forward.RequestPreview;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.http2.HeaderList;
import io.outrigger.observe.explain.Explanation;
import io.outrigger.observe.explain.Explanation.Branch;
import io.outrigger.observe.explain.Explanation.Verdict;
import java.util.List;
import java.util.Locale;

/** Renders an explanation as JSON (CONTRACT section 6, {@code /explain}). */
@AnyThread
public final class ExplainView {
  private static final double NANOS = 1e9;

  /** The largest number of endpoints in a reply that is indented for people. */
  private static final int MAX_READABLE = 200;

  private ExplainView() {}

  /** Returns the reply. */
  public static AdminReply reply(Explanation explanation) {
    JsonObject json = head(explanation);
    var branches = new JsonArray();
    int endpoints = 0;
    for (Branch branch : explanation.branches()) {
      endpoints += addBranch(branches, branch, explanation.request());
    }
    json.add("branches", branches);
    var notKnown = new JsonArray();
    NotKnowable.of(explanation).forEach(notKnown::add);
    json.add("not_known", notKnown);
    return AdminReply.json(200, endpoints <= MAX_READABLE, to -> AdminReply.write(json, to));
  }

  /** Returns the members before the branches. */
  private static JsonObject head(Explanation explanation) {
    var json = new JsonObject();
    json.addProperty("forward", explanation.forward());
    json.addProperty("target", explanation.target());
    json.addProperty("authority", explanation.authority());
    json.add("request", request(explanation.request()));
    json.addProperty("decision", decision(explanation));
    json.add(
        "virtual_host",
        explanation
            .domain()
            .map(
                match -> {
                  var host = new JsonObject();
                  host.addProperty("name", match.host().name());
                  host.addProperty("domain", match.domain());
                  return (JsonElement) host;
                })
            .orElse(JsonNull.INSTANCE));
    var routes = new JsonArray();
    explanation.routes().forEach(verdict -> routes.add(verdict(verdict)));
    json.add("routes", routes);
    json.addProperty("further_routes", explanation.more());
    return json;
  }

  private static String decision(Explanation explanation) {
    if (explanation.branches().isEmpty()) {
      return "wait";
    }
    return explanation.branches().get(0).decision() instanceof RouteDecision.Reject
        ? "reject"
        : "forward";
  }

  private static JsonObject request(RequestPreview request) {
    var json = new JsonObject();
    json.addProperty("method", request.method());
    json.addProperty("path", WireText.read(request.path()));
    json.addProperty("grpc", request.isGrpc());
    var headers = new JsonArray();
    HeaderList list = request.headers();
    for (int i = 0; i < list.size(); i++) {
      String name = list.name(i).toString();
      if (!name.startsWith(":")) {
        boolean isSecret = HeaderMatcher.SECRETS.contains(name);
        String value = WireText.read(list.value(i).toString());
        headers.add(name + ": " + (isSecret ? "[redacted]" : value));
      }
    }
    json.add("headers", headers);
    return json;
  }

  private static JsonObject verdict(Verdict verdict) {
    JsonObject json = route(verdict.route());
    json.addProperty("result", verdict.result().name().toLowerCase(Locale.ROOT));
    json.addProperty("missed", verdict.missed());
    return json;
  }

  private static JsonObject route(Route route) {
    var json = new JsonObject();
    json.addProperty("index", route.index());
    json.addProperty("name", route.name());
    json.addProperty("path", route.match().path().toString());
    return json;
  }

  /** Adds a branch; returns the number of endpoints in it. */
  private static int addBranch(JsonArray branches, Branch branch, RequestPreview request) {
    var json = new JsonObject();
    branches.add(json);
    json.addProperty("probability", branch.probability());
    if (branch.decision() instanceof RouteDecision.Reject reject) {
      json.add("reject", reject(reject));
    } else if (branch.decision() instanceof RouteDecision.Forward chosen) {
      addForward(json, branch, chosen, request);
      return branch
          .tree()
          .flatMap(tree -> branch.plan().map(plan -> new PickView(tree, plan)))
          .map(view -> view.addTo(json))
          .orElse(0);
    }
    return 0;
  }

  private static JsonObject reject(RouteDecision.Reject reject) {
    var json = new JsonObject();
    json.addProperty("code", reject.status().code().toString());
    json.addProperty("message", reject.status().message());
    json.addProperty("reason", reject.reason());
    return json;
  }

  private static void addForward(
      JsonObject json, Branch branch, RouteDecision.Forward chosen, RequestPreview request) {
    JsonObject route = route(chosen.route());
    var metadata = new JsonObject();
    chosen.route().metadata().forEach((key, text) -> metadata.add(key, parsed(text)));
    route.add("metadata", metadata);
    chosen
        .route()
        .overlay()
        .ifPresent(overlay -> route.add("overlay", OverlayViews.values(overlay.effect())));
    json.add("route", route);
    json.add("cluster_overlay", OverlayViews.values(branch.overlay()));
    json.addProperty("cluster", branch.cluster());
    json.add("clusters", clusters(chosen));
    json.add("timeout", timeout(chosen, request));
    json.add("retry", chosen.action().retry().map(ExplainView::retry).orElse(JsonNull.INSTANCE));
    var filters = new JsonArray();
    branch.filters().forEach(plan -> filters.add(filter(plan)));
    json.add("filters", filters);
    json.add(
        "session",
        branch
            .session()
            .<JsonElement>map(asked -> SessionView.json(asked, branch))
            .orElse(JsonNull.INSTANCE));
  }

  private static JsonElement parsed(String json) {
    return JsonParser.parseString(json);
  }

  private static JsonArray clusters(RouteDecision.Forward chosen) {
    var clusters = new JsonArray();
    if (chosen.action().clusters() instanceof ClusterChoice.Weighted weighted) {
      for (WeightedCluster cluster : weighted.clusters()) {
        var json = new JsonObject();
        json.addProperty("name", cluster.cluster());
        json.addProperty("weight", cluster.weight());
        clusters.add(json);
      }
    }
    return clusters;
  }

  /** Returns the timeouts in seconds; null means no limit. */
  private static JsonObject timeout(RouteDecision.Forward chosen, RequestPreview request) {
    EffectiveTimeout limit = chosen.limit();
    long asked = request.appTimeoutNanos();
    var json = new JsonObject();
    json.add("route_limit", seconds(limit.limitNanos()));
    json.addProperty("source", limit.source().name().toLowerCase(Locale.ROOT));
    json.add("asked", seconds(asked));
    json.add("effective", seconds(limit.forRequest(asked)));
    if (!chosen.ownLimit().equals(limit)) {
      var without = new JsonObject();
      without.add("route_limit", seconds(chosen.ownLimit().limitNanos()));
      without.addProperty("source", chosen.ownLimit().source().name().toLowerCase(Locale.ROOT));
      without.add("effective", seconds(chosen.ownLimit().forRequest(asked)));
      json.add("without_overlay", without);
    }
    return json;
  }

  private static JsonElement seconds(long nanos) {
    return nanos == EffectiveTimeout.NONE ? JsonNull.INSTANCE : new JsonPrimitive(nanos / NANOS);
  }

  private static JsonElement retry(RetryPolicy policy) {
    var json = new JsonObject();
    json.addProperty("max_attempts", policy.maxAttempts());
    var codes = new JsonArray();
    List<String> names = policy.codes().stream().map(Object::toString).sorted().toList();
    names.forEach(codes::add);
    json.add("codes", codes);
    json.addProperty("base_interval", policy.baseInterval().toString());
    json.addProperty("max_interval", policy.maxInterval().toString());
    return json;
  }

  private static JsonObject filter(FilterPlan plan) {
    var json = new JsonObject();
    json.addProperty("kind", plan.kind());
    plan.effects().forEach(json::addProperty);
    return json;
  }
}
