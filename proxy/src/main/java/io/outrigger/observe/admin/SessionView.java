package io.outrigger.observe.admin;

import com.google.gson.JsonObject;
import io.outrigger.dataplane.filter.FilterPlan.AskedSession;
import io.outrigger.lb.PickPlan;
import io.outrigger.observe.explain.Explanation.Branch;
import java.util.List;
import java.util.Optional;

/**
 * The session of an explained request: the endpoints that its cookie names, their states, and
 * whether the session is kept. The value of the cookie is not shown.
 */
final class SessionView {
  private SessionView() {}

  static JsonObject json(AskedSession asked, Branch branch) {
    Optional<PickPlan.Preferring> preferring = branch.plan().flatMap(SessionView::preferring);
    PickPlan.OverrideOutcome outcome =
        preferring.map(PickPlan.Preferring::outcome).orElse(PickPlan.OverrideOutcome.LOST);
    List<PickPlan.OverrideCandidate> candidates =
        preferring
            .map(PickPlan.Preferring::candidates)
            .orElseGet(
                () ->
                    asked.addresses().stream()
                        .map(address -> new PickPlan.OverrideCandidate(address, "not asked for"))
                        .toList());
    return Json.object(
        "cookie", asked.cookie(),
        "begins", asked.addresses().isEmpty(),
        "kept",
            outcome == PickPlan.OverrideOutcome.NOT_LOOKED_UP
                ? null
                : outcome == PickPlan.OverrideOutcome.KEPT,
        "cluster", asked.cluster().isEmpty() ? null : asked.cluster(),
        "endpoints", candidates.stream().map(SessionView::endpoint).toList());
  }

  private static JsonObject endpoint(PickPlan.OverrideCandidate candidate) {
    return Json.object("address", candidate.address(), "standing", candidate.standing());
  }

  /**
   * Returns the part of a plan that handles sessions. The session part lies above all parts of a
   * plan that draw at random.
   */
  private static Optional<PickPlan.Preferring> preferring(PickPlan plan) {
    if (plan instanceof PickPlan.Preferring found) {
      return Optional.of(found);
    }
    if (plan instanceof PickPlan.Above above) {
      return preferring(above.rest());
    }
    return Optional.empty();
  }
}
