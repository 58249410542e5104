package io.outrigger.xds.overlay;

import io.outrigger.base.AnyThread;
import io.outrigger.config.overlay.OverlayRule;
import io.outrigger.xds.ResourceType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All rules in force, in the order in which they count. */
@AnyThread
public final class Overlay {
  /** No rules. */
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

  /** Rules in their order, as long as no target is known. */
  public static Overlay of(List<ClusterRule> clusters, List<RouteRule> routes) {
    return clusters.isEmpty() && routes.isEmpty() ? NONE : new Overlay(clusters, routes, Map.of());
  }

  /**
   * The same rules for these targets.
   *
   * @param targets as configured, such as {@code xds:///orders}
   * @return this very overlay where that makes no difference
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

  /** Whether its rules are these. */
  public boolean isOf(List<ClusterRule> clusterRules, List<RouteRule> routeRules) {
    return clusters.equals(clusterRules) && routes.equals(routeRules);
  }

  /** The rules for the cluster {@code name}. */
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

  /** The rules for routes of every target that {@link #routeRulesByTarget} does not know. */
  public List<RouteRule> routeRules() {
    return everywhere;
  }

  /** The rules for routes of those targets for which they are others. */
  public Map<String, List<RouteRule>> routeRulesByTarget() {
    return byTarget;
  }

  /** Whether there is any rule for routes. */
  public boolean hasRouteRules() {
    return !routes.isEmpty();
  }

  /** Every rule, by file, and in each in the order of its lines. */
  public List<OverlayRule> rules() {
    Map<String, List<OverlayRule>> byFile = new LinkedHashMap<>();
    Stream.concat(clusters.stream().map(ClusterRule::rule), routes.stream().map(RouteRule::rule))
        .forEach(rule -> byFile.computeIfAbsent(rule.file(), file -> new ArrayList<>()).add(rule));
    return byFile.values().stream()
        .flatMap(rules -> rules.stream().sorted(Comparator.comparingInt(OverlayRule::line)))
        .toList();
  }

  /**
   * Whether resources of {@code type} are the same under {@code other}, at a glance: no to another
   * overlay whose rules are equal, unless it was made {@link #with} this one's.
   */
  @SuppressWarnings("ReferenceEquality") // lists of many rules are not compared
  public boolean isAlike(Overlay other, ResourceType<?> type) {
    if (other == this || type.equals(ResourceType.ENDPOINT)) {
      return true;
    }
    return type.equals(ResourceType.CLUSTER)
        ? clusters == other.clusters
        : routes == other.routes && byTarget == other.byTarget;
  }

  /** Other rules; those of a kind that are the same stay so for {@link #isAlike}. */
  public Overlay with(List<ClusterRule> clusterRules, List<RouteRule> routeRules) {
    return of(
        clusterRules.equals(clusters) ? clusters : clusterRules,
        routeRules.equals(routes) ? routes : routeRules);
  }

  /**
   * Which resources of {@code type} may be others than under {@code before}: all for which a rule
   * is that came, went, or changed.
   *
   * @return a test of names
   */
  public Predicate<String> changesSince(Overlay before, ResourceType<?> type) {
    if (!type.equals(ResourceType.CLUSTER)) {
      return routes.equals(before.routes) && byTarget.equals(before.byTarget)
          ? name -> false
          : name -> true;
    }
    Optional<List<ClusterRule>> changed = difference(before.clusters, clusters);
    return changed.isEmpty()
        ? name -> true
        : name -> changed.get().stream().anyMatch(rule -> rule.isFor(name));
  }

  /** What is in one list only; empty when what is in both stands in another order. */
  private static Optional<List<ClusterRule>> difference(
      List<ClusterRule> before, List<ClusterRule> now) {
    List<ClusterRule> stayed = new ArrayList<>(before);
    stayed.retainAll(Set.copyOf(now));
    List<ClusterRule> kept = new ArrayList<>(now);
    kept.retainAll(Set.copyOf(before));
    if (!stayed.equals(kept)) {
      return Optional.empty();
    }
    List<ClusterRule> changed = new ArrayList<>(before);
    changed.addAll(now);
    changed.removeAll(Set.copyOf(stayed));
    return Optional.of(changed);
  }
}
