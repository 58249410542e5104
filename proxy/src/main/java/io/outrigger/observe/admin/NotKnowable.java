package io.outrigger.observe.admin;

import io.outrigger.lb.PickPlan;
import io.outrigger.lb.PickResult;
import io.outrigger.observe.explain.Explanation;
import io.outrigger.observe.explain.Explanation.Branch;
import java.util.LinkedHashSet;
import java.util.Set;

/** Lists, in words, the facts that an explanation cannot know without sending the request. */
final class NotKnowable {
  private final Set<String> lines = new LinkedHashSet<>();

  private NotKnowable() {}

  static Set<String> of(Explanation explanation) {
    var unknowns = new NotKnowable();
    if (explanation.branches().isEmpty()) {
      unknowns.lines.add("everything: the target has no configuration yet, and requests wait");
    }
    if (explanation.branches().size() > 1) {
      unknowns.lines.add("which branch: a draw for each request decides, by probability");
    }
    for (Branch branch : explanation.branches()) {
      branch.filters().forEach(plan -> unknowns.lines.addAll(plan.notKnowable()));
      branch.plan().ifPresent(unknowns::add);
    }
    if (explanation.branches().stream()
        .flatMap(each -> each.plan().stream())
        .anyMatch(NotKnowable::mayBeSent)) {
      unknowns.lines.add("the answer of the backend, and whether the request is retried");
    }
    return unknowns.lines;
  }

  private static boolean mayBeSent(PickPlan plan) {
    return plan.odds().stream().anyMatch(each -> !(each.result() instanceof PickResult.Fail));
  }

  private void add(PickPlan plan) {
    if (plan instanceof PickPlan.Unknown) {
      lines.add("which endpoint: the policy does not predict it");
    } else if (plan instanceof PickPlan.Equal equal) {
      if (equal.results().size() > 1) {
        lines.add("which endpoint: " + equal.by());
      }
    } else if (plan instanceof PickPlan.Shared shared) {
      if (shared.shares().size() > 1) {
        lines.add("which endpoint: " + shared.by());
      }
      shared.shares().stream().limit(1).forEach(share -> add(share.plan()));
    } else if (plan instanceof PickPlan.Dropping dropping) {
      dropping
          .drops()
          .forEach(
              drop ->
                  lines.add(
                      "whether it is dropped in category "
                          + drop.category().category()
                          + ": "
                          + drop.category().share()));
    } else if (plan instanceof PickPlan.Hashed hashed) {
      if (hashed.hash().isEmpty()) {
        lines.add("the hash: " + hashed.source());
      }
    }
    if (plan instanceof PickPlan.Above above) {
      add(above.rest());
    }
  }
}
