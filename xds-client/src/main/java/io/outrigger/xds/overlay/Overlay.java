package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** All overlay rules that are in force. Earlier rules have precedence. */
@AnyThread
public final class Overlay {
  public sealed interface Rule permits ClusterRule, RouteRule {
    OverlayRule rule();

    Patch patch();
  }

  public static final Overlay NONE = new Overlay(List.of(), List.of(), Map.of());

  private final List<ClusterRule> clusters;
  private final List<RouteRule> routes;
  private final List<RouteRule> everywhere;
  private final Map<String, List<RouteRule>> byTarget;

  private Overlay(
      List<ClusterRule> clusters, List<RouteRule> routes, Map<String, List<RouteRule>> byTarget) {
    this.clusters = List.copyOf(clusters);
    this.routes = List.copyOf(routes);
    this.everywhere = routes.stream().filter(rule -> rule.targets().isEmpty()).toList();
    this.byTarget = Map.copyOf(byTarget);
  }

  public static Overlay of(List<ClusterRule> clusters, List<RouteRule> routes) {
    return clusters.isEmpty() && routes.isEmpty() ? NONE : new Overlay(clusters, routes, Map.of());
  }

  /**
   * Returns an overlay with the same rules that also knows which rules apply to each of {@code
   * targets}.
   *
   * @param targets the targets as configured, such as {@code xds:///orders}
   * @return this overlay itself if the rules of each target stay the same
   */
  public Overlay forTargets(Set<String> targets) {
    Map<String, List<RouteRule>> here = new HashMap<>();
    for (String target : targets) {
      List<RouteRule> rules = routes.stream().filter(rule -> rule.isFor(target)).toList();
      if (!rules.equals(everywhere)) {
        here.put(target, rules);
      }
    }
    return here.equals(byTarget) ? this : new Overlay(clusters, routes, here);
  }

  public boolean isOf(List<ClusterRule> clusterRules, List<RouteRule> routeRules) {
    return clusters.equals(clusterRules) && routes.equals(routeRules);
  }

  public List<ClusterRule> clusterRules(String name) {
    List<ClusterRule> found = List.of();
    for (ClusterRule rule : clusters) {
      if (rule.isFor(name)) {
        found = found.isEmpty() ? new ArrayList<>() : found;
        found.add(rule);
      }
    }
    return found;
  }

  /** The route rules for all targets that are not in {@link #routeRulesByTarget}. */
  public List<RouteRule> routeRules() {
    return everywhere;
  }

  /** The route rules of each target whose rules differ from {@link #routeRules}, by target. */
  public Map<String, List<RouteRule>> routeRulesByTarget() {
    return byTarget;
  }

  public boolean hasRouteRules() {
    return !routes.isEmpty();
  }

  /** Every rule, grouped by file. The rules of one file are in the order of their lines. */
  public List<OverlayRule> rules() {
    Map<String, List<OverlayRule>> byFile = new LinkedHashMap<>();
    Stream.concat(clusters.stream(), routes.stream())
        .map(Rule::rule)
        .forEach(rule -> byFile.computeIfAbsent(rule.file(), file -> new ArrayList<>()).add(rule));
    return byFile.values().stream()
        .flatMap(rules -> rules.stream().sorted(Comparator.comparingInt(OverlayRule::line)))
        .toList();
  }
}
