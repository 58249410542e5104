package io.outrigger.observe.admin;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outrigger.config.route.ClusterChoice;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.HostRewrite;
import io.outrigger.config.route.RetryPolicy;
import io.outrigger.config.route.Route;
import io.outrigger.config.route.WireText;
import io.outrigger.dataplane.filter.FilterPlan;
import io.outrigger.dataplane.filter.FilterPlan.CookieSession;
import io.outrigger.dataplane.forward.RequestHead;
import io.outrigger.dataplane.route.EffectiveTimeout;
import io.outrigger.dataplane.route.RouteDecision;
import io.outrigger.http2.HeaderList;
import io.outrigger.lb.PickPlan;
import io.outrigger.observe.explain.Explanation;
import io.outrigger.observe.explain.Explanation.Branch;
import io.outrigger.observe.explain.Explanation.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Renders an explanation as JSON (CONTRACT section 6, {@code /explain}). */
public final class ExplainView {
  private static final double NANOS = 1e9;

  /** The largest number of endpoints in a reply that is indented for people. */
  private static final int MAX_READABLE = 200;

  private ExplainView() {}

  public static AdminReply reply(Explanation explanation) {
    List<JsonObject> branches = new ArrayList<>();
    int endpoints = 0;
    for (Branch branch : explanation.branches()) {
      endpoints += addBranch(branches, branch, explanation);
    }
    JsonObject json =
        Json.object(
            "forward", explanation.forward(),
            "target", explanation.target(),
            "authority", authority(explanation, branches),
            "request", request(explanation.request()),
            "decision", decision(explanation),
            "virtual_host",
                explanation
                    .domain()
                    .map(each -> Json.object("name", each.host().name(), "domain", each.domain())),
            "routes", explanation.routes().stream().map(ExplainView::verdict).toList(),
            "further_routes", explanation.furtherRoutes(),
            "branches", branches);
    return AdminReply.json(200, endpoints <= MAX_READABLE, to -> Json.write(json, to));
  }

  /**
   * Returns the {@code :authority} for the first endpoint of the most probable outcome. If no
   * endpoint can be picked, returns the {@code :authority} that an endpoint without a host name
   * would get.
   */
  private static Object authority(Explanation explanation, List<JsonObject> branches) {
    JsonArray found = branches.isEmpty() ? null : branches.get(0).getAsJsonArray("candidates");
    if (found != null && !found.isEmpty()) {
      return found.get(0).getAsJsonObject().get("authority");
    }
    HostRewrite rewrite =
        !branches.isEmpty()
                && explanation.branches().get(0).decision() instanceof RouteDecision.Forward chosen
            ? chosen.action().hostRewrite()
            : HostRewrite.NONE;
    return explanation.authority().apply(HostRewrite.authority(rewrite, ""));
  }

  private static String decision(Explanation explanation) {
    if (explanation.branches().isEmpty()) {
      return "wait";
    }
    return explanation.branches().get(0).decision() instanceof RouteDecision.Reject
        ? "reject"
        : "forward";
  }

  private static JsonObject request(RequestHead request) {
    List<String> headers = new ArrayList<>();
    HeaderList list = request.headers();
    for (int i = 0; i < list.size(); i++) {
      String name = list.name(i).toString();
      if (!name.startsWith(":")) {
        boolean isSecret = HeaderMatcher.SECRETS.contains(name);
        String value = WireText.read(list.value(i).toString());
        headers.add(name + ": " + (isSecret ? "[redacted]" : value));
      }
    }
    return Json.object(
        "method", request.method().toString(),
        "path", WireText.read(request.path()),
        "grpc", request.isGrpc(),
        "headers", headers);
  }

  private static JsonObject verdict(Verdict verdict) {
    JsonObject json = route(verdict.route());
    json.addProperty("result", Json.word(verdict.result()));
    json.addProperty("missed", verdict.matcher());
    return json;
  }

  private static JsonObject route(Route route) {
    return Json.object(
        "index", route.index(),
        "name", route.name(),
        "path", route.match().path().toString());
  }

  /** Adds a possible outcome; returns the number of endpoints in the outcome. */
  private static int addBranch(List<JsonObject> branches, Branch branch, Explanation all) {
    JsonObject json = Json.object("probability", branch.probability());
    branches.add(json);
    if (branch.decision() instanceof RouteDecision.Reject reject) {
      json.add(
          "reject",
          Json.object(
              "code", reject.answer().status().code().toString(),
              "message", reject.answer().status().message(),
              "reason", reject.answer().reason().word()));
    } else if (branch.decision() instanceof RouteDecision.Forward chosen) {
      addForward(json, branch, chosen, all.request());
      UnaryOperator<String> authority =
          host -> all.authority().apply(HostRewrite.authority(chosen.action().hostRewrite(), host));
      return branch
          .tree()
          .flatMap(tree -> branch.plan().map(plan -> new PickView(tree, plan, authority)))
          .map(view -> view.addTo(json))
          .orElse(0);
    }
    return 0;
  }

  private static void addForward(
      JsonObject json, Branch branch, RouteDecision.Forward chosen, RequestHead request) {
    JsonObject route = route(chosen.route());
    chosen
        .route()
        .overlay()
        .ifPresent(effect -> route.add("overlay", Json.tree(OverlayViews.values(effect))));
    json.add("route", route);
    json.add("cluster_overlay", Json.tree(OverlayViews.values(branch.overlay())));
    json.addProperty("cluster", branch.cluster());
    json.add("clusters", Json.tree(clusters(chosen)));
    json.add("timeout", timeout(chosen, request));
    json.add("retry", Json.tree(chosen.action().retry().map(ExplainView::retry)));
    json.add("filters", Json.tree(branch.filters().stream().map(ExplainView::filter).toList()));
    json.add("session", Json.tree(branch.session().map(asked -> session(asked, branch))));
  }

  private static List<JsonObject> clusters(RouteDecision.Forward chosen) {
    return chosen.action().clusters() instanceof ClusterChoice.Weighted weighted
        ? weighted.clusters().stream()
            .map(each -> Json.object("name", each.cluster(), "weight", each.weight()))
            .toList()
        : List.of();
  }

  /** Returns the timeouts in seconds; null means no limit. */
  private static JsonObject timeout(RouteDecision.Forward chosen, RequestHead request) {
    EffectiveTimeout limit = chosen.limit();
    long asked = request.appTimeoutNanos();
    return Json.object(
        "route_limit", seconds(limit.limitNanos()),
        "source", Json.word(limit.source()),
        "asked", seconds(asked),
        "effective", seconds(limit.forRequest(asked)));
  }

  private static @Nullable Double seconds(long nanos) {
    return nanos == EffectiveTimeout.NONE ? null : Double.valueOf(nanos / NANOS);
  }

  private static JsonObject retry(RetryPolicy policy) {
    return Json.object(
        "max_attempts", policy.maxAttempts(),
        "codes", policy.codes().stream().map(Object::toString).sorted().toList(),
        "base_interval", policy.baseInterval(),
        "max_interval", policy.maxInterval());
  }

  private static JsonObject filter(FilterPlan plan) {
    JsonObject json = Json.object("kind", plan.kind());
    plan.effects().forEach(json::addProperty);
    return json;
  }

  /**
   * Returns the session: the endpoints that its cookie names, their states, and whether the pick
   * uses one of these endpoints. The value of the cookie is not shown.
   */
  private static JsonObject session(CookieSession asked, Branch branch) {
    Optional<PickPlan.Preferring> preferring = branch.plan().flatMap(ExplainView::preferring);
    PickPlan.OverrideOutcome outcome =
        preferring.map(PickPlan.Preferring::outcome).orElse(PickPlan.OverrideOutcome.LOST);
    return Json.object(
        "cookie", asked.cookie(),
        "begins", asked.addresses().isEmpty(),
        "kept",
            outcome == PickPlan.OverrideOutcome.NOT_LOOKED_UP
                ? null
                : outcome == PickPlan.OverrideOutcome.KEPT,
        "cluster", asked.cluster().isEmpty() ? null : asked.cluster(),
        "endpoints",
            preferring
                .map(PickPlan.Preferring::candidates)
                .orElseGet(
                    () ->
                        asked.addresses().stream()
                            .map(each -> new PickPlan.OverrideCandidate(each, "not asked for"))
                            .toList()));
  }

  /**
   * Finds the {@link PickPlan.Preferring} in a plan. A {@code Preferring} plan is never inside a
   * {@link PickPlan.Shared}, so only the inner plans of {@link PickPlan.Wrapping} are searched.
   */
  private static Optional<PickPlan.Preferring> preferring(PickPlan plan) {
    if (plan instanceof PickPlan.Preferring found) {
      return Optional.of(found);
    }
    if (plan instanceof PickPlan.Wrapping wrapping) {
      return preferring(wrapping.inner());
    }
    return Optional.empty();
  }
}
