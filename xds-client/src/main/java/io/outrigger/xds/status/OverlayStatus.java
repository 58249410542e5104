package io.outrigger.xds.status;

import io.outrigger.config.cluster.ClusterResource;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayEffect;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.overlay.Overlay;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The effects and errors of the overlay.
 *
 * @param rules the rules in force, in their order
 */
public record OverlayStatus(List<Rule> rules, List<FileProblem> problems) {
  public OverlayStatus {
    rules = List.copyOf(rules);
    problems = List.copyOf(problems);
  }

  /**
   * The effect of one rule.
   *
   * @param leftOut the resources to which the rule is not applied because of an error
   */
  public record Rule(
      OverlayRule rule, int clusters, int routes, List<Value> set, List<Omission> leftOut) {
    public Rule {
      set = List.copyOf(set);
      leftOut = List.copyOf(leftOut);
    }

    public boolean matchesNothing() {
      return clusters == 0 && routes == 0;
    }
  }

  public record Value(String resource, String field, String value) {}

  public record Omission(String resource, String field, String reason) {}

  private static final class Tally {
    final Set<String> clusters = new LinkedHashSet<>();
    final Set<String> routes = new LinkedHashSet<>();
    final Set<Value> set = new LinkedHashSet<>();
    final Set<Omission> leftOut = new LinkedHashSet<>();

    Rule of(OverlayRule rule) {
      return new Rule(rule, clusters.size(), routes.size(), List.copyOf(set), List.copyOf(leftOut));
    }
  }

  /**
   * Computes the effect of each rule.
   *
   * @param resources the resources in use; duplicates are counted once
   */
  public static List<Rule> rules(Overlay overlay, Stream<Overlaid> resources) {
    Map<OverlayRule, Tally> tallies = new LinkedHashMap<>();
    overlay.rules().forEach(rule -> tallies.put(rule, new Tally()));
    resources.forEach(
        resource -> {
          boolean isCluster = resource instanceof ClusterResource;
          resource.visitEffects((name, effect) -> add(name, effect, isCluster, tallies));
        });
    return tallies.entrySet().stream().map(each -> each.getValue().of(each.getKey())).toList();
  }

  /** Ignores removed rules, because the resources that such rules changed are decoded again. */
  private static void add(
      String name, OverlayEffect effect, boolean isCluster, Map<OverlayRule, Tally> tallies) {
    var ignored = new Tally();
    for (OverlayRule rule : effect.matched()) {
      Tally tally = tallies.getOrDefault(rule, ignored);
      (isCluster ? tally.clusters : tally.routes).add(name);
    }
    for (OverlayEffect.Value value : effect.set()) {
      var set = new Value(name, value.field(), value.value());
      tallies.getOrDefault(value.rule(), ignored).set.add(set);
    }
    for (OverlayEffect.Omission omission : effect.leftOut()) {
      var leftOut = new Omission(name, omission.field(), omission.reason());
      tallies.getOrDefault(omission.rule(), ignored).leftOut.add(leftOut);
    }
  }
}
