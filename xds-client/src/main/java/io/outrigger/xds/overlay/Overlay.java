package io.outrigger.xds.overlay;

import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.RouteMatch.PathSpecifierCase;
import io.outrigger.config.overlay.Overlaid;
import io.outrigger.config.overlay.OverlayRule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * All overlay rules; earlier rules have precedence.
 *
 * @param routeRulesByTarget the route rules by target; the rules of any other target are {@link
 *     #routeRules}
 */
public record Overlay(
    List<ClusterRule> clusters,
    List<RouteRule> routes,
    Map<String, List<RouteRule>> routeRulesByTarget) {
  public static final Overlay NONE = new Overlay(List.of(), List.of());

  public Overlay {
    clusters = List.copyOf(clusters);
    routes = List.copyOf(routes);
    routeRulesByTarget = Map.copyOf(routeRulesByTarget);
  }

  public Overlay(List<ClusterRule> clusters, List<RouteRule> routes) {
    this(clusters, routes, Map.of());
  }

  public sealed interface Rule {
    OverlayRule rule();

    Patch patch();
  }

  /**
   * @param names patterns for the names of clusters; at least one
   * @param alpn protocols to offer in ALPN before {@code h2}; empty when the rule sets no protocols
   */
  public record ClusterRule(OverlayRule rule, List<Glob> names, Patch patch, List<String> alpn)
      implements Rule {
    public ClusterRule {
      names = List.copyOf(names);
      alpn = List.copyOf(alpn);
    }
  }

  /**
   * A rule for routes. An empty list of patterns matches everything.
   *
   * @param targets patterns for targets as configured, such as {@code xds:///orders}
   * @param path patterns for the exact path of a route ({@code match.path})
   * @param pathPrefix patterns for the path prefix of a route ({@code match.prefix})
   * @param patch the patch of the rule: the fields of {@code RouteAction} that it sets
   */
  public record RouteRule(
      OverlayRule rule,
      List<Glob> targets,
      List<Glob> path,
      List<Glob> pathPrefix,
      List<Glob> name,
      Patch patch)
      implements Rule {
    public RouteRule {
      targets = List.copyOf(targets);
      path = List.copyOf(path);
      pathPrefix = List.copyOf(pathPrefix);
      name = List.copyOf(name);
    }

    /** Whether the rule applies to a route. The target of the route is not checked here. */
    public boolean isFor(Route route) {
      RouteMatch match = route.getMatch();
      PathSpecifierCase specifier = match.getPathSpecifierCase();
      return allows(name, route.getName())
          && (path.isEmpty()
              || (specifier == PathSpecifierCase.PATH && allows(path, match.getPath())))
          && (pathPrefix.isEmpty()
              || (specifier == PathSpecifierCase.PREFIX && allows(pathPrefix, match.getPrefix())));
    }

    private static boolean allows(List<Glob> globs, String text) {
      return globs.isEmpty() || Glob.anyMatches(globs, text);
    }
  }

  /**
   * Returns an overlay with the same rules, in which {@link #routeRulesByTarget} has an entry for
   * each of the targets.
   *
   * @param targets the targets as configured, such as {@code xds:///orders}
   * @return the new overlay; this object if the rules of every target stay the same
   */
  public Overlay forTargets(Set<String> targets) {
    List<RouteRule> general = routeRules();
    Map<String, List<RouteRule>> byTarget = new HashMap<>();
    for (String target : targets) {
      List<RouteRule> rules =
          routes.stream().filter(rule -> RouteRule.allows(rule.targets(), target)).toList();
      if (!rules.equals(general)) {
        byTarget.put(target, rules);
      }
    }
    return byTarget.equals(routeRulesByTarget) ? this : new Overlay(clusters, routes, byTarget);
  }

  /** Returns the given resource, and its versions for the targets that have rules of their own. */
  public Collection<Overlaid> formsOf(Overlaid resource) {
    Set<Overlaid> forms = Collections.newSetFromMap(new IdentityHashMap<>()); // mostly one
    forms.add(resource);
    routeRulesByTarget.keySet().forEach(target -> forms.add(resource.forTarget(target)));
    return forms;
  }

  public List<ClusterRule> clusterRules(String name) {
    return clusters.isEmpty() // the usual case; runs for each cluster
        ? clusters
        : clusters.stream().filter(rule -> Glob.anyMatches(rule.names(), name)).toList();
  }

  /** The route rules for all targets that are not in {@link #routeRulesByTarget}. */
  public List<RouteRule> routeRules() {
    return routes.stream().filter(rule -> rule.targets().isEmpty()).toList();
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
